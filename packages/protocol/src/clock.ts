/** Time, as everything that waits receives it. Tests hand in one that they move themselves. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once, after at least `delay` milliseconds; returns what `clear` takes. Never keeps the process alive. */
  set(callback: () => void, delay: number): unknown
  clear(timer: unknown): void
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  set(callback, delay) {
    const timer: unknown = setTimeout(callback, delay)
    // Only Node's timers hold the process; browsers return a number.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
      ;(timer as { unref(): void }).unref()
    }
    return timer
  },
  clear: (timer) => clearTimeout(timer as Parameters<typeof clearTimeout>[0]),
}
