import type { Clock } from '@mobius-mcp/protocol'

/** Waits; returns early when the signal is aborted. */
export function wait(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clock.clear(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = clock.set(done, delay)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
