import type { Clock } from '@mobius-mcp/protocol'

export interface TestClock extends Clock {
  /** The delays that were asked for and are not over. */
  readonly waiting: readonly number[]
  advance(milliseconds: number): void
  /** Resolves when somebody waits for exactly that long. */
  waits(delay: number): Promise<void>
}

/** A clock that the test moves. */
export function createTestClock(): TestClock {
  let time = Date.parse('2026-11-30T00:00:00Z')
  const timers = new Set<{ at: number; delay: number; callback: () => void }>()
  const watchers = new Map<number, () => void>()
  return {
    now: () => time,
    set(callback, delay) {
      const timer = { at: time + delay, delay, callback }
      timers.add(timer)
      watchers.get(delay)?.()
      return timer
    },
    clear: (timer) => void timers.delete(timer as never),
    get waiting() {
      return [...timers].map(({ delay }) => delay)
    },
    advance(milliseconds) {
      time += milliseconds
      for (const timer of [...timers].filter(({ at }) => at <= time)) {
        timers.delete(timer)
        timer.callback()
      }
    },
    waits(delay) {
      if ([...timers].some((timer) => timer.delay === delay)) return Promise.resolve()
      return new Promise((resolve) => watchers.set(delay, resolve))
    },
  }
}
