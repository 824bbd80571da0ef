import type { Clock } from '@mobius-mcp/protocol'
import type { CallRecord } from './call-record.ts'
import { FolderReader } from './folder-reader.ts'
import { nextTurn, waitingClock } from './next-turn.ts'

/** Which records are read, and for how long. */
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
  if (last === undefined) yield* reader.read()
  else yield* await reader.readLast(last)
  while (follow && !signal?.aborted) {
    await nextTurn(clock, interval, signal)
    yield* reader.read()
  }
}
