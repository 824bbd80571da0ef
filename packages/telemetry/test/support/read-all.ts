import { type CallRecord, type ReadCallsOptions, readCalls } from '../../src/index.ts'
import { brief } from './events.ts'

export async function readAll(options: ReadCallsOptions): Promise<CallRecord[]> {
  const records: CallRecord[] = []
  for await (const record of readCalls(options)) records.push(record)
  return records
}

export async function readBrief(options: ReadCallsOptions): Promise<string[]> {
  return brief(await readAll(options))
}
