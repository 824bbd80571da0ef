/** Measures every row of the table in design.md section 6: `pnpm bench [--quick] [--only http-echo,soak]`. */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Bench, fullRun, quickRun } from './bench.ts'
import { moduleArgs, startChild } from './process/child.ts'
import type { LoadCommands } from './process/load.ts'
import { describeMachine } from './report/machine.ts'
import { toMarkdown } from './report/markdown.ts'
import { describeMethod } from './report/method.ts'
import type { RowReport } from './report/report.ts'
import { type RowName, rows } from './rows/rows.ts'
import { findPeers } from './subjects/peers.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    output: { type: 'string' },
    counterparts: {
      type: 'string',
      default: fileURLToPath(new URL('../../counterparts/node_modules', import.meta.url)),
    },
  },
})

const isWhole = !values.quick && values.only === undefined
const output = values.output ?? (isWhole ? new URL('../results.md', import.meta.url) : undefined)
const settings = values.quick ? quickRun : fullRun
const date = new Date()
const machine = describeMachine()
const { peers, missing } = findPeers(values.counterparts)
if (missing.length > 0) {
  say(`not installed: ${missing.join(', ')}; run pnpm --dir tooling/counterparts install first`)
}

const reports: RowReport[] = []
{
  const script = new URL('process/load.ts', import.meta.url)
  await using load = await startChild<LoadCommands>(moduleArgs(script), { cpu: 0 })
  for (const name of chosenRows()) reports.push(await measure(name, { settings, load, peers, say }))
}

const markdown = toMarkdown({ date, machine, method: describeMethod(settings), rows: reports })
if (output === undefined) process.stdout.write(markdown)
else await writeFile(output, markdown)
const open = reports.flatMap(({ checks }) => checks).filter(({ verdict }) => verdict !== 'met')
for (const { what, budget, measured, verdict } of open) {
  say(`${verdict}: ${what}: ${measured}, budget ${budget}`)
}
if (open.length > 0) process.exitCode = 1

function chosenRows(): RowName[] {
  const names = Object.keys(rows) as RowName[]
  if (values.only === undefined) return names
  const wanted = values.only.split(',')
  const unknown = wanted.filter((name) => !Object.hasOwn(rows, name))
  if (unknown.length > 0) {
    throw new Error(`There is no row ${unknown.join(', ')}; there are ${names.join(', ')}.`)
  }
  return names.filter((name) => wanted.includes(name))
}

/** A row that cannot be measured is said so; the others still are. */
async function measure(name: RowName, bench: Bench): Promise<RowReport> {
  try {
    return await rows[name](bench)
  } catch (error) {
    process.exitCode = 1
    const reason = error instanceof Error ? error.message : String(error)
    say(`${name} failed: ${reason}`)
    const check = { what: name, budget: 'runs', measured: 'failed', verdict: 'missed' } as const
    return { title: name, checks: [check], tables: [], notes: [reason] }
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
