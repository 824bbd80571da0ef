import type { Clock } from '@mobius-mcp/protocol'

/** Something that is told often and tells seldom. */
export interface Paced {
  /** Has it told soon. */
  ask(): void
  /** Nothing is told any more. */
  stop(): void
}

/** Calls back soon after it was asked to, but at most once in so many milliseconds. */
export function atMostEvery(clock: Clock, milliseconds: number, callback: () => void): Paced {
  let timer: unknown
  return {
    ask() {
      timer ??= clock.set(() => {
        timer = undefined
        callback()
      }, milliseconds)
    },
    stop() {
      clock.clear(timer)
    },
  }
}
