import { type Clock, systemClock } from '@mobius-mcp/protocol'
import type { Leases } from './leases.ts'

export interface LeaseHolderOptions {
  readonly leases: Leases
  /** Unlike that of any other process, dead ones included. Random by default. */
  readonly id?: string | undefined
  /** For how long a sign of life counts, in milliseconds. 15 seconds by default. */
  readonly duration?: number | undefined
  readonly clock?: Clock | undefined
  /** Told of each sign of life that could not be given; the next one is given in its time. */
  readonly onProblem?: ((cause: unknown) => void) | undefined
}

/** A process that lives. Disposing of it gives up what it holds. */
export interface LeaseHolder extends AsyncDisposable {
  readonly id: string
}

/**
 * Takes a lease and prolongs it at every third of its duration.
 *
 * @throws what kept the first sign of life from being given.
 */
export async function openLeaseHolder(options: LeaseHolderOptions): Promise<LeaseHolder> {
  const { leases, duration = 15_000, clock = systemClock, onProblem } = options
  const { id = crypto.randomUUID() } = options
  let timer: unknown
  let beating: Promise<void> | undefined
  let closed = false
  const beat = () => leases.beat(id, clock.now() + duration)
  const arm = () => {
    timer = clock.set(() => {
      beating = beat()
        .catch((cause: unknown) => onProblem?.(cause))
        .then(() => {
          if (!closed) arm()
        })
    }, duration / 3)
  }
  await beat()
  arm()
  return {
    id,
    async [Symbol.asyncDispose]() {
      closed = true
      clock.clear(timer)
      await beating
      await leases.release(id)
    },
  }
}
