import type { Clock } from '@mobius-mcp/protocol'

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000
  readonly #timers = new Map<number, { at: number; callback: () => void }>()
  #count = 0

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#now
  }

  set(callback: () => void, delay: number): unknown {
    this.#count += 1
    this.#timers.set(this.#count, { at: this.#now + delay, callback })
    return this.#count
  }

  clear(timer: unknown): void {
    this.#timers.delete(timer as number)
  }

  /** Time passes without anything happening in it, as on a machine that sleeps. */
  sleep(milliseconds: number): void {
    this.#now += milliseconds
    this.advance(0)
  }

  /** Moves time on; what falls due meanwhile happens at its time. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end)
      const [first] = due.sort(([, a], [, b]) => a.at - b.at)
      if (!first) break
      const [timer, { at, callback }] = first
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, at)
      callback()
    }
    this.#now = end
  }
}
