/** Runs one HTTP subject of `subjects/modules.ts`: `node http-subject.ts NAME`. */
import type { HttpSubject, HttpSubjectOptions, StartHttpSubject } from '../subjects/contract.ts'
import { type HttpModuleName, httpModules } from '../subjects/modules.ts'
import { answerCommands } from './commands.ts'
import type { InspectCommands } from './inspect.ts'

/** Where a started subject answers. */
export type Started = Omit<HttpSubject, 'close'>

export interface HttpSubjectCommands extends InspectCommands {
  start: (options: HttpSubjectOptions) => Promise<Started>
}

// The parent passes a name of the table.
const name = process.argv[2] as HttpModuleName
const commands: Pick<HttpSubjectCommands, 'start'> = { start }
answerCommands(commands)

async function start(options: HttpSubjectOptions): Promise<Started> {
  const module: { start: StartHttpSubject } = await httpModules[name]()
  const { url, tool, close } = await module.start(options)
  process.once('SIGTERM', async () => {
    await close()
    process.exit(0)
  })
  return { url, tool }
}
