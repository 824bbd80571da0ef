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
  pass<T, R>(work: T | Promise<T>, release: (value: T) => R | Promise<R>): Promise<R> {
    const place = new Place(this.#last)
    this.#last = place
    if (work instanceof Promise) return work.then((value: T) => this.#finish(place, value, release))
    return this.#finishLater(place, work, release)
  }

  #finish<T, R>(place: Place, value: T, release: (value: T) => R | Promise<R>): R | Promise<R> {
    return place.before
      ? this.#finishLater(place, value, release)
      : this.#release(place, value, release)
  }

  async #finishLater<T, R>(
    place: Place,
    value: T,
    release: (value: T) => R | Promise<R>,
  ): Promise<R> {
    if (place.before) await place.turn()
    return this.#release(place, value, release)
  }

  /** Whoever comes next may go on as soon as this has been sent, whatever it then waits for. */
  #release<T, R>(place: Place, value: T, release: (value: T) => R | Promise<R>): R | Promise<R> {
    try {
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
