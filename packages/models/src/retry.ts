import type { Clock } from '@mobius-mcp/protocol'
import type { ModelError } from './errors.ts'

/** How often and how long it is tried again. */
export interface RetryPolicy {
  /** Attempts in all; 1 never tries again. */
  readonly attempts: number
  /** Milliseconds before the second attempt; doubled before each further one. */
  readonly delay: number
  /** No pause is longer. Where a provider asks for more, the error is given at once, and says so. */
  readonly longestDelay: number
}

/** Four attempts within some seconds. */
export const standardRetry: RetryPolicy = { attempts: 4, delay: 500, longestDelay: 60_000 }

/** Milliseconds until the next attempt, or `undefined` where there is none. `random` spreads those who failed together. */
export function delayAfter(
  error: ModelError,
  attempt: number,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  if (!error.details.retryable || attempt >= policy.attempts) return undefined
  const { retryAfter } = error.details
  if (retryAfter !== undefined) return retryAfter > policy.longestDelay ? undefined : retryAfter
  const growing = Math.min(policy.longestDelay, policy.delay * 2 ** (attempt - 1))
  return Math.round(growing * (0.5 + random() / 2))
}

/** Waits, or throws the signal's reason as soon as it is aborted. */
export async function wait(delay: number, clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = clock.set(resolve, delay)
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    await promise
  } finally {
    clock.clear(timer)
    signal.removeEventListener('abort', stop)
  }
}
