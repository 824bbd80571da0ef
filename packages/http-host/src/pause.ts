import type { Cancellation, Clock } from '@mobius-mcp/protocol'

/** Waits so many milliseconds, or until nobody needs it any more. */
export function pause(clock: Clock, milliseconds: number, ending?: Cancellation): Promise<void> {
  if (ending?.cancelled) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clock.clear(timer)
      ending?.unlisten(listener)
      resolve()
    }
    const timer = clock.set(done, milliseconds)
    const listener = { onCancel: done }
    ending?.listen(listener)
  })
}
