import type { Clock } from '@mobius-mcp/protocol'

/** What waits in an `IdleList`. The time and the links belong to the list. */
export interface Idler {
  /** When it was last heard of, in milliseconds of the list's clock. */
  idleSince: number
  idleBefore: Idler | undefined
  idleAfter: Idler | undefined
  /** It was not heard of for the list's time-out, and is out of the list. */
  onIdle(): void
}

/** Timers take a longer delay for none. */
export const longestDelay: number = 2 ** 31 - 1

/**
 * Things that share one time-out, in the order in which they were last heard of, behind one timer.
 * Whatever is heard of moves to the end, so the first is always the next one due, and also the one
 * least recently used.
 */
export class IdleList<T extends Idler> {
  readonly #clock: Clock
  readonly #timeout: number
  #first: Idler | undefined
  #last: Idler | undefined
  #timer: unknown

  constructor(clock: Clock, timeout: number) {
    this.#clock = clock
    // With no time at all, what is heard of again would be due again at once, for ever.
    this.#timeout = Math.max(1, timeout)
  }

  /** The one that was not heard of for the longest time. */
  get oldest(): T | undefined {
    // Only `touch` puts entries in.
    return this.#first as T | undefined
  }

  /** Adds an entry, or notes that it was heard of. */
  touch(entry: T): void {
    entry.idleSince = this.#clock.now()
    if (this.#last === entry) return
    this.#unlink(entry)
    entry.idleBefore = this.#last
    if (this.#last) this.#last.idleAfter = entry
    else this.#first = entry
    this.#last = entry
    if (this.#timer === undefined) this.#schedule(this.#timeout)
  }

  /** Takes an entry out; does nothing when it is not in. */
  remove(entry: T): void {
    this.#unlink(entry)
  }

  /** Forgets everything, and the timer. */
  clear(): void {
    while (this.#first) this.#unlink(this.#first)
    this.#clock.clear(this.#timer)
    this.#timer = undefined
  }

  #unlink(entry: Idler): void {
    const { idleBefore, idleAfter } = entry
    if (idleBefore) idleBefore.idleAfter = idleAfter
    else if (this.#first === entry) this.#first = idleAfter
    if (idleAfter) idleAfter.idleBefore = idleBefore
    else if (this.#last === entry) this.#last = idleBefore
    entry.idleBefore = undefined
    entry.idleAfter = undefined
  }

  #schedule(delay: number): void {
    this.#timer = this.#clock.set(this.#onTimer, Math.min(delay, longestDelay))
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined
    const due = this.#clock.now() - this.#timeout
    for (let entry = this.#first; entry && entry.idleSince <= due; entry = this.#first) {
      this.#unlink(entry)
      entry.onIdle()
    }
    if (this.#first && this.#timer === undefined) {
      this.#schedule(Math.max(1, this.#first.idleSince - due))
    }
  }
}
