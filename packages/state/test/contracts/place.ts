import type { Clock } from '@mobius-mcp/protocol'
import type { State } from '../../src/index.ts'

/** A state of some kind, which ends with the test. */
export interface Place extends AsyncDisposable {
  readonly state: State
}

/** Opens a state in which nothing is kept yet. */
export type OpenPlace = (clock: Clock) => Promise<Place>

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /** Moves on, calls what falls due, and lets it settle. */
  advance(milliseconds: number): Promise<void>
}

export function createManualClock(start = 1_000_000): ManualClock {
  let now = start
  const timers = new Set<{ at: number; callback: () => void }>()
  return {
    now: () => now,
    set(callback, delay) {
      const timer = { at: now + delay, callback }
      timers.add(timer)
      return timer
    },
    clear: (timer) => void timers.delete(timer as { at: number; callback: () => void }),
    async advance(milliseconds) {
      const until = now + milliseconds
      for (;;) {
        const [due] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
        if (!due) break
        timers.delete(due)
        now = due.at
        due.callback()
        await new Promise((resolve) => setImmediate(resolve))
      }
      now = until
    },
  }
}
