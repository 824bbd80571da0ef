/**
 * Keeps messages of one direction in the order in which they came, while hooks look at some of them
 * for as long as they take: looking goes on side by side, passing one after the other.
 */
export class Order {
  #last: Place | undefined

  /** Whether anything is still on its way, which whatever comes now must not overtake. */
  get busy(): boolean {
    return this.#last !== undefined
  }

  /** Passes on what the work came to, once everything that came earlier has passed. The work must not reject. */
  async pass<T, R>(work: T | Promise<T>, release: (value: T) => R | Promise<R>): Promise<R> {
    const place = new Place(this.#last)
    this.#last = place
    try {
      const value = await work
      if (place.before) await place.turn()
      return release(value)
    } finally {
      if (this.#last === place) this.#last = undefined
      place.leave()
    }
  }
}

/** A place in the row. Nothing is made to wait with unless there is somebody before. */
class Place {
  before: Place | undefined
  #after: Place | undefined
  #proceed: (() => void) | undefined

  constructor(before: Place | undefined) {
    this.before = before
    if (before) before.#after = this
  }

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#proceed = resolve
    })
  }

  leave(): void {
    const after = this.#after
    if (!after) return
    after.before = undefined
    after.#proceed?.()
  }
}
