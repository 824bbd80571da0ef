import type { Clock } from '@mobius-mcp/protocol'

/** Watches that something comes again and again. */
export interface IdleTimer extends Disposable {
  /** Aborted when nothing came in time. */
  readonly signal: AbortSignal
  /** What comes first: the next thing, the end of the time, which starts anew here, or `stop`. */
  race<T>(next: PromiseLike<T>, stop: AbortSignal): Promise<T>
}

/** Starts watching with the first `race`. `timeout` 0 waits for ever. */
export function openIdleTimer(clock: Clock, timeout: number, reason: () => Error): IdleTimer {
  const late = new AbortController()
  let timer: unknown
  const rest = (): void => {
    if (timer !== undefined) clock.clear(timer)
    timer = undefined
  }
  return {
    signal: late.signal,
    async race(next, stop) {
      const { promise, reject } = Promise.withResolvers<never>()
      const onStop = (): void => reject(stop.reason)
      const onLate = (): void => reject(late.signal.reason)
      if (stop.aborted) onStop()
      stop.addEventListener('abort', onStop, { once: true })
      late.signal.addEventListener('abort', onLate, { once: true })
      if (timeout > 0) timer = clock.set(() => late.abort(reason()), timeout)
      try {
        return await Promise.race([next, promise])
      } finally {
        rest()
        stop.removeEventListener('abort', onStop)
        late.signal.removeEventListener('abort', onLate)
      }
    },
    [Symbol.dispose]: rest,
  }
}
