import type { Clock } from './clock.ts'

/**
 * Ids for one's own requests: integers that start from the clock, so that a session that lives
 * through a restart never uses one again. A session would have to send a million requests a second
 * to overtake the clock, and the numbers stay safe integers for 200 years.
 */
export function createRequestIds(clock: Clock): () => number {
  let last = 0
  return () => {
    if (last === 0) last = clock.now() * 1000
    return ++last
  }
}
