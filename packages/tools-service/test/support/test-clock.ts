import type { Clock } from '@mobius-mcp/protocol'

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves on, calling what is due in order; promises settle between two timers. */
  advance(milliseconds: number): Promise<void>
  /** How many timers are set. */
  readonly timers: number
}

interface Timer {
  at: number
  callback: () => void
}

export function createTestClock(start = 1): TestClock {
  let now = start
  const timers = new Set<Timer>()
  const next = (until: number) =>
    [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
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
      for (let due = next(until); due; due = next(until)) {
        timers.delete(due)
        now = due.at
        due.callback()
        await settle()
      }
      now = until
      await settle()
    },
  }
}

/** Lets everything that waits for promises alone go on. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
