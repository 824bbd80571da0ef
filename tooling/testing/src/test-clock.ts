import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@mobius-mcp/protocol'

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** How many timers are set. */
  readonly timers: number
  /**
   * Moves on, calling what falls due at its time and in its order, and lets promises settle after
   * each. Throws what a timer throws.
   */
  advance(milliseconds: number): Promise<void>
}

interface Timer {
  readonly at: number
  readonly callback: () => void
}

/** A clock for tests: `start` is its first `now`, in milliseconds since the epoch. */
export function createTestClock(start: number = Date.UTC(2026, 0, 1)): TestClock {
  let now = start
  const timers = new Set<Timer>()
  const takeDue = (until: number): Timer | undefined => {
    const due = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
    if (due) timers.delete(due)
    return due
  }
  return {
    now: () => now,
    set(callback, delay) {
      const timer = { at: now + delay, callback }
      timers.add(timer)
      return timer
    },
    clear: (timer) => void timers.delete(timer as Timer),
    get timers() {
      return timers.size
    },
    async advance(milliseconds) {
      const until = now + milliseconds
      for (let due = takeDue(until); due; due = takeDue(until)) {
        now = Math.max(now, due.at)
        due.callback()
        await setImmediate()
      }
      now = until
      await setImmediate()
    },
  }
}
