import type { CallEvent } from './options.ts'

/** The last calls, oldest first, up to a bound. */
export interface RecentCalls {
  list(): CallEvent[]
  /** Tells of each call that ends from now on, until the returned function is called. */
  watch(listener: (event: CallEvent) => void): () => void
}

/** A bounded ring that events are fed into. */
export class CallRing implements RecentCalls {
  readonly #size: number
  readonly #events: CallEvent[] = []
  readonly #listeners = new Set<(event: CallEvent) => void>()
  #next = 0

  constructor(size: number) {
    this.#size = size
  }

  add(event: CallEvent): void {
    this.#events[this.#next] = event
    this.#next = (this.#next + 1) % this.#size
    for (const listener of this.#listeners) listener(event)
  }

  list(): CallEvent[] {
    if (this.#events.length < this.#size) return [...this.#events]
    return [...this.#events.slice(this.#next), ...this.#events.slice(0, this.#next)]
  }

  watch(listener: (event: CallEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
