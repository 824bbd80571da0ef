import type { Clock } from '@mobius-mcp/protocol'

/** The machine's clock for whoever does nothing but wait: it keeps the process alive. */
export const waitingClock: Clock = {
  now: () => Date.now(),
  set: (callback, delay) => setTimeout(callback, delay),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

/** Waits, or until the signal is aborted, whichever comes first. */
export function nextTurn(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = clock.set(done, milliseconds)
    signal?.addEventListener('abort', done, { once: true })
    function done(): void {
      clock.clear(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}
