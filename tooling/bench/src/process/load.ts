/** The load generator, in a process of its own so that it shares neither event loop nor processor. */
import { openClient } from '../http/client.ts'
import type { Client, Target } from '../http/contract.ts'
import { type Held, type Hold, holdSessions } from '../load/hold.ts'
import { type Load, type LoadResult, runLoad, runLoadIn } from '../load/run.ts'
import { answerCommands } from './commands.ts'
import type { InspectCommands } from './inspect.ts'

export interface LoadCommands extends InspectCommands {
  /** A load in a session of its own. */
  measure: (load: Load & { target: Target }) => Promise<LoadResult>
  /** Opens the one session that `run` makes its loads in, until `end`. */
  open: (target: Target) => Promise<void>
  run: (load: Load) => Promise<LoadResult>
  end: () => Promise<void>
  /** Opens sessions and leaves them alone, until `release`. */
  hold: (hold: Hold) => Promise<void>
  release: () => Promise<void>
}

let opened: { client: Client; tool: string } | undefined
let held: Held | undefined
const commands: Omit<LoadCommands, keyof InspectCommands> = {
  measure: runLoad,
  async open(target) {
    opened = { client: await openClient(target), tool: target.tool }
  },
  async run(load) {
    if (opened === undefined) throw new Error('No session is open.')
    return await runLoadIn(opened.client, opened.tool, load)
  },
  async end() {
    await opened?.client.close()
    opened = undefined
  },
  async hold(hold) {
    held = await holdSessions(hold)
  },
  async release() {
    await held?.end()
    held = undefined
  },
}
answerCommands(commands)
