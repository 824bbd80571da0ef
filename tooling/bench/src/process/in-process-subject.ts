/** Calls one in-process subject of `subjects/modules.ts`: `node in-process-subject.ts NAME`. */
import { isDeepStrictEqual } from 'node:util'
import type { OpenInProcessSubject } from '../subjects/contract.ts'
import { toEchoResult } from '../subjects/echo-schema.ts'
import { type InProcessModuleName, inProcessModules } from '../subjects/modules.ts'
import { answerCommands } from './commands.ts'
import type { InspectCommands } from './inspect.ts'

export interface SampleInput {
  batches: number
  batchSize: number
}

/** Microseconds for one call. */
export interface CallTimes {
  median: number
  mean: number
}

export interface InProcessCommands extends InspectCommands {
  sample: (input: SampleInput) => Promise<CallTimes>
}

// The parent passes a name of the table.
const name = process.argv[2] as InProcessModuleName
const module: { open: OpenInProcessSubject } = await inProcessModules[name]()
const subject = await module.open()
const commands: Pick<InProcessCommands, 'sample'> = { sample }
answerCommands(commands)

async function sample({ batches, batchSize }: SampleInput): Promise<CallTimes> {
  await checkEcho()
  const times = new Float64Array(batches)
  for (let batch = 0; batch < batches; batch++) times[batch] = await timeBatch(batchSize)
  const mean = times.reduce((sum, time) => sum + time, 0) / batches
  const median = times.toSorted()[Math.floor(batches / 2)] ?? 0
  return { median, mean }
}

/** A turn of the event loop belongs to the batch, so that what a call puts off until later is counted. */
async function timeBatch(size: number): Promise<number> {
  const start = process.hrtime.bigint()
  for (let call = 0; call < size; call++) await subject.call('hello')
  await new Promise((resolve) => setImmediate(resolve))
  return Number(process.hrtime.bigint() - start) / 1_000 / size
}

async function checkEcho(): Promise<void> {
  const result = await subject.call('hello')
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(result)), toEchoResult('hello'))) return
  throw new Error(`${name} answered a call with ${JSON.stringify(result)}`)
}
