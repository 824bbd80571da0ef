import type { RowReport, Table } from './report.ts'

export interface Results {
  date: Date
  machine: string[]
  method: string[]
  rows: RowReport[]
}

/** The whole of `results.md`: verdicts first, then what they rest on. */
export function toMarkdown({ date, machine, method, rows }: Results): string {
  return `${[
    '# Benchmark results',
    'Written by `pnpm bench`; the budgets are those of the design, as ratios inside one run.',
    [`- ${date.toISOString()}`, ...machine.map((line) => `- ${line}`)].join('\n'),
    '## Verdicts',
    toTable(verdicts(rows)),
    '## Method',
    method.map((line) => `- ${line}`).join('\n'),
    ...rows.flatMap(toSection),
  ].join('\n\n')}\n`
}

function verdicts(rows: RowReport[]): Table {
  return {
    columns: ['what', 'budget', 'measured', 'verdict'],
    rows: rows
      .flatMap((row) => row.checks)
      .map(({ what, budget, measured, verdict }) => [what, budget, measured, verdict]),
  }
}

function toSection({ title, tables, notes }: RowReport): string[] {
  return [
    `## ${title}`,
    ...tables.map(toTable),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
  ]
}

function toTable({ columns, rows }: Table): string {
  return [columns, columns.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(toCell).join(' | ')} |`)
    .join('\n')
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}
