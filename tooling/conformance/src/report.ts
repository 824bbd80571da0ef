import type { Outcome, Verdict } from './verdict.ts'

/** One line of the report: a target with its verdict, or with why it has none. */
export interface TargetResult {
  target: string
  seconds: number
  verdict: Verdict | { ok: false; problem: string }
}

/** The table of all targets. */
export function formatTable(results: readonly TargetResult[]): string {
  const rows = [
    ['target', 'scored', 'checks of these', 'unscored, checks passed', 'seconds', ''],
    ...results.map(toRow),
  ]
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** What went wrong, scenario by scenario, and what the suite advises. */
export function formatComplaints(results: readonly TargetResult[]): string {
  return results.flatMap(({ target, verdict }) => listComplaints(target, verdict)).join('\n')
}

function listComplaints(target: string, verdict: TargetResult['verdict']): string[] {
  const { problem } = verdict
  const { scored = [], unscored = [] }: Partial<Verdict> = verdict
  const list = (note: string, outcomes: readonly Outcome[]): string[] =>
    outcomes.flatMap(({ scenario, complaints }) =>
      complaints.map((complaint) => `${target}: ${scenario}${note} ${complaint}`),
    )
  return [
    ...(problem === undefined ? [] : [`${target}: ${problem}`]),
    ...list('', scored),
    ...list(' (unscored)', unscored),
  ]
}

function toRow({ target, seconds, verdict }: TargetResult): string[] {
  const time = seconds.toFixed(1)
  const mark = verdict.ok ? 'ok' : 'FAILED'
  if (!('scored' in verdict)) return [target, '-', '-', '-', time, mark]
  const { scored, unscored } = verdict
  const passed = sum(scored, (outcome) => outcome.passed)
  const failed = sum(scored, (outcome) => outcome.failed)
  return [
    target,
    `${scored.filter(({ ok }) => ok).length} of ${scored.length}`,
    `${passed} passed, ${failed} failed`,
    unscored.map(toMark).join(', '),
    time,
    mark,
  ]
}

function toMark({ scenario, passed, failed }: Outcome): string {
  return `${scenario} ${passed} of ${passed + failed}`
}

function sum(outcomes: readonly Outcome[], count: (outcome: Outcome) => number): number {
  return outcomes.reduce((total, outcome) => total + count(outcome), 0)
}
