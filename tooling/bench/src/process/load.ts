/** The load generator, in a process of its own so that it shares neither event loop nor processor. */
import { type Held, type Hold, holdSessions } from '../load/hold.ts'
import { type Load, type LoadResult, runLoad } from '../load/run.ts'
import { answerCommands } from './commands.ts'
import type { InspectCommands } from './inspect.ts'

export interface LoadCommands extends InspectCommands {
  measure: (load: Load) => Promise<LoadResult>
  hold: (hold: Hold) => Promise<void>
  /** Ends what was held. */
  release: () => Promise<void>
}

let held: Held | undefined
const commands: Omit<LoadCommands, keyof InspectCommands> = { measure: runLoad, hold, release }
answerCommands(commands)

async function hold(input: Hold): Promise<void> {
  held = await holdSessions(input)
}

async function release(): Promise<void> {
  await held?.end()
  held = undefined
}
