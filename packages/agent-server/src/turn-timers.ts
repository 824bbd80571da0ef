import type { Clock } from '@mobius-mcp/protocol'

/** A sign of life comes at least so often, in milliseconds: long silences make callers give up. */
const heartbeat = 30_000

export interface TurnTimersOptions {
  readonly clock: Clock
  /** Milliseconds that the turn may take, but for the time in which a question is open. */
  readonly limit: number | undefined
  onBeat(): void
  onLimit(): void
}

/** What time does to a turn: signs of life for those who wait, and an end where it takes too long. */
export class TurnTimers {
  readonly #options: TurnTimersOptions
  #beat: unknown
  #limit: unknown
  /** Milliseconds that are left, by the time that the limit was last armed. */
  #left: number | undefined
  #armedAt = 0
  #holds = 0

  constructor(options: TurnTimersOptions) {
    this.#options = options
    this.#left = options.limit
    this.#armBeat()
    this.#arm()
  }

  /** A question is open: the limit stands still until the returned function is called, once. */
  hold(): () => void {
    this.#holds += 1
    if (this.#holds === 1) this.#disarm()
    return () => {
      this.#holds -= 1
      if (this.#holds === 0) this.#arm()
    }
  }

  stop(): void {
    this.#options.clock.clear(this.#beat)
    this.#disarm()
    this.#left = undefined
  }

  #armBeat(): void {
    const { clock, onBeat } = this.#options
    this.#beat = clock.set(() => {
      onBeat()
      this.#armBeat()
    }, heartbeat)
  }

  #arm(): void {
    const { clock, onLimit } = this.#options
    if (this.#left === undefined) return
    this.#armedAt = clock.now()
    this.#limit = clock.set(onLimit, this.#left)
  }

  #disarm(): void {
    const { clock } = this.#options
    if (this.#left === undefined) return
    clock.clear(this.#limit)
    this.#left = Math.max(0, this.#left - (clock.now() - this.#armedAt))
  }
}
