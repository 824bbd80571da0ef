import type { Clock } from '@mobius-mcp/protocol'
import { longestDelay } from './idle-list.ts'

/** How many requests are being answered, and whether new ones are still taken. */
export class Traffic {
  inFlight = 0
  closing = false
  #drained: PromiseWithResolvers<void> | undefined

  begin(): void {
    this.inFlight += 1
  }

  end(): void {
    this.inFlight -= 1
    if (this.inFlight === 0) this.#drained?.resolve()
  }

  /** Takes no more requests, and waits for the answers to those that are in, up to the deadline. */
  async drain(deadline: number, clock: Clock): Promise<void> {
    this.closing = true
    if (this.inFlight === 0) return
    this.#drained ??= Promise.withResolvers<void>()
    const timer = clock.set(this.#drained.resolve, Math.min(deadline, longestDelay))
    await this.#drained.promise
    clock.clear(timer)
  }
}
