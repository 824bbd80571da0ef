import type { Clock } from './clock.ts'
import { type Linked, LinkedSet } from './linked-set.ts'

/** Something with a deadline, in the list of one `Deadlines`. */
export interface Timed extends Linked<Timed> {
  /** When it is due: milliseconds of the list's clock. May be moved while it is in the list. */
  deadline: number
  /** Called when the deadline has passed; it is out of the list by then, perhaps for another reason too. */
  onDeadline(): void
}

/**
 * Many deadlines behind one coarse timer: adding, moving and removing cost a few assignments, where
 * a timer per call would cost a microsecond. A deadline fires up to one tick late, never early.
 */
export class Deadlines {
  readonly #clock: Clock
  readonly #tick: number
  readonly #waiting = new LinkedSet<Timed>()
  #ticking = false

  constructor(clock: Clock, tick = 50) {
    this.#clock = clock
    this.#tick = tick
  }

  add(entry: Timed): void {
    this.#waiting.add(entry)
    if (!this.#ticking) this.#schedule()
  }

  /** Takes an entry out; does nothing when it is not in. */
  remove(entry: Timed): void {
    this.#waiting.delete(entry)
  }

  /** Everything that is in, in no particular order; entries may leave meanwhile. */
  entries(): Timed[] {
    return [...this.#waiting]
  }

  #schedule(): void {
    this.#ticking = true
    this.#clock.set(this.#onTick, this.#tick)
  }

  readonly #onTick = (): void => {
    this.#ticking = false
    const now = this.#clock.now()
    try {
      for (const entry of this.entries()) {
        if (entry.deadline > now) continue
        this.remove(entry)
        entry.onDeadline()
      }
    } finally {
      // Whatever one of them throws, the others' time goes on.
      if (this.#waiting.size > 0 && !this.#ticking) this.#schedule()
    }
  }
}

const shared = new WeakMap<Clock, Deadlines>()

/** The one list of deadlines that everything on this clock shares. */
export function deadlinesOf(clock: Clock): Deadlines {
  let deadlines = shared.get(clock)
  if (!deadlines) {
    deadlines = new Deadlines(clock)
    shared.set(clock, deadlines)
  }
  return deadlines
}
