import type { Child } from './process/child.ts'
import type { LoadCommands } from './process/load.ts'
import type { Peer } from './subjects/peers.ts'

/** How much is measured; counts, never durations, so that a run does the same work again. */
export interface Settings {
  rounds: number
  /** The in-process samples. */
  batches: number
  batchSize: number
  /** About how many seconds of calls one HTTP sample holds; the count is fixed once for each subject. */
  sampleSeconds: number
  inFlight: readonly number[]
  sessions: number
  streams: number
  soakCalls: number
  starts: number
}

/** What every row is given. */
export interface Bench {
  settings: Settings
  load: Child<LoadCommands>
  peers: readonly Peer[]
  /** Tells the person who waits what is going on. */
  say(line: string): void
}

export const fullRun: Settings = {
  rounds: 11,
  batches: 300,
  batchSize: 100,
  sampleSeconds: 0.5,
  inFlight: [1, 16],
  sessions: 2_000,
  streams: 1_000,
  soakCalls: 10_000,
  starts: 5,
}

/** To see that all of it runs; its figures mean little. */
export const quickRun: Settings = {
  rounds: 2,
  batches: 100,
  batchSize: 100,
  sampleSeconds: 0.3,
  inFlight: [16],
  sessions: 300,
  streams: 100,
  soakCalls: 1_000,
  starts: 2,
}
