import type { Clock } from './clock.ts'

const shared = new WeakMap<Clock, () => number>()

/**
 * Ids for one's own requests: one count for everything on a clock, so that no two sessions share an
 * id and a trace is read without guessing. It starts from the clock, so that a session that lives
 * through a restart never uses an id again: one would have to send a million requests a second to
 * overtake it, and the numbers stay safe integers for 200 years.
 */
export function requestIdsOf(clock: Clock): () => number {
  let next = shared.get(clock)
  if (!next) {
    let last = Math.floor(clock.now() * 1000)
    next = () => ++last
    shared.set(clock, next)
  }
  return next
}
