import {
  type CallEvent,
  type CallRecord,
  createCallTrees,
  formatCallTree,
  formatGap,
  readCalls,
} from '@mobius-mcp/telemetry'
import { CommandConfiguration } from '../command-configuration.ts'
import type { ConfigOptions } from '../program.ts'
import { callFolder } from '../seeing.ts'
import { signalOfStop } from '../until-signal.ts'
import { UserError } from '../user-error.ts'

export interface LogsOptions extends ConfigOptions {
  follow?: boolean
  last?: string
  server?: string
  json?: boolean
}

/** `mobius logs`: the record of calls as trees, and with `--follow` the trees that come. */
export async function logs(options: LogsOptions): Promise<number> {
  const { follow, last, server, json } = options
  const records = readCalls({
    folder: callFolder(await new CommandConfiguration(options).state()),
    follow,
    server,
    last: toCount(last) ?? 100,
    signal: signalOfStop(),
  })
  const out = (text: string) => process.stdout.write(text)
  if (json) for await (const record of records) out(`${JSON.stringify(record)}\n`)
  else if (server === undefined) await showTrees(records, out)
  else await showCalls(records, out)
  return 0
}

/** Of one server alone, what its calls belong to is not there. */
async function showCalls(
  records: AsyncIterable<CallRecord>,
  out: (text: string) => void,
): Promise<void> {
  for await (const record of records) {
    out(record.kind === 'gap' ? formatGap(record.gap) : formatCallTree([record.event]))
  }
}

/** A call ends after those that it made, so a tree is shown when its root has ended. */
async function showTrees(
  records: AsyncIterable<CallRecord>,
  out: (text: string) => void,
): Promise<void> {
  const trees = createCallTrees()
  const show = (events: readonly CallEvent[]) => {
    if (events.length > 0) out(formatCallTree(events))
  }
  for await (const record of records) {
    if (record.kind === 'gap') out(formatGap(record.gap))
    else show(trees.add(record.event))
  }
  show(trees.rest())
}

function toCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new UserError(
    `Cannot show the last ${JSON.stringify(text)} calls: expected a number, e.g. 50`,
  )
}
