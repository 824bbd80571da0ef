import type { Clock } from '@mobius-mcp/protocol'
import { type CallFile, groupByRun, listCallFiles } from './call-files.ts'
import { type CallRecord, decodeLine, timeOf } from './call-record.ts'
import { LineFile } from './line-file.ts'
import { merge } from './merge.ts'
import { nextTurn, waitingClock } from './next-turn.ts'

export interface ReadCallsOptions {
  /** Where `openCallLog` writes. */
  readonly folder: string
  /** Goes on with calls as they end, until the signal says so. */
  readonly follow?: boolean | undefined
  /** Only what ended at that time or later: milliseconds since the epoch. */
  readonly since?: number | undefined
  /** Only the last so many of those that are there already. */
  readonly last?: number | undefined
  /** Only calls of this server. */
  readonly server?: string | undefined
  /** Ends the reading, without an error. */
  readonly signal?: AbortSignal | undefined
  /** How often a followed folder is looked at, in milliseconds; 250 by default. */
  readonly interval?: number | undefined
  readonly clock?: Clock | undefined
}

/**
 * Reads the record of calls of all processes that used the folder, in the order in which the calls
 * ended. What cannot be read, and what was lost, is a gap. No folder is an empty record.
 */
export async function* readCalls(
  options: ReadCallsOptions,
): AsyncGenerator<CallRecord, void, undefined> {
  const { follow, last, signal, interval = 250, clock = waitingClock } = options
  const reader = new FolderReader(options)
  const known = reader.read()
  yield* last === undefined ? known : lastOf(known, last)
  while (follow && !signal?.aborted) {
    await nextTurn(clock, interval, signal)
    yield* reader.read()
  }
}

/** Reads what a folder holds, each time from where it was left. */
class FolderReader {
  readonly #folder: string
  readonly #options: ReadCallsOptions
  readonly #files = new Map<string, LineFile>()

  constructor(options: ReadCallsOptions) {
    this.#folder = options.folder
    this.#options = options
  }

  async *read(): AsyncGenerator<CallRecord, void, undefined> {
    const { since = 0, server, signal } = this.#options
    const files = await listCallFiles(this.#folder)
    const recent = files.filter(({ changed }) => changed >= since)
    const runs = [...groupByRun(recent).values()].map((parts) => this.#readRun(parts))
    for await (const record of merge(runs, timeOf)) {
      if (signal?.aborted) return
      if (timeOf(record) < since) continue
      if (record.kind === 'call' && server !== undefined && record.event.server !== server) continue
      yield record
    }
  }

  async *#readRun(parts: readonly CallFile[]): AsyncGenerator<CallRecord, void, undefined> {
    let time = 0
    for (const { path } of parts) {
      for await (const lines of this.#fileAt(path).read()) {
        for (const line of lines) {
          const record = toRecord(line, time)
          if (!record) continue
          time = timeOf(record)
          yield record
        }
      }
    }
  }

  #fileAt(path: string): LineFile {
    const known = this.#files.get(path)
    if (known) return known
    const file = new LineFile(path)
    this.#files.set(path, file)
    return file
  }
}

function toRecord(text: string, time: number): CallRecord | undefined {
  if (text === '') return undefined
  const line = decodeLine(text)
  if (!line) {
    return { kind: 'gap', gap: { reason: 'damaged', count: 1, from: time, until: time } }
  }
  return line.kind === 'call' || line.kind === 'gap' ? line : undefined
}

async function* lastOf(
  records: AsyncIterable<CallRecord>,
  count: number,
): AsyncGenerator<CallRecord, void, undefined> {
  let kept: CallRecord[] = []
  for await (const record of records) {
    kept.push(record)
    if (kept.length >= 2 * count + 1000) kept = kept.slice(-count)
  }
  yield* count > 0 ? kept.slice(-count) : []
}
