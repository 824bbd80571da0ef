import type { Clock } from '@mobius-mcp/protocol'

/** A server's state, as a person would say it. */
export type ServerCondition =
  /** Never needed yet, or stopped because nobody used it. */
  | 'idle'
  | 'starting'
  | 'ready'
  /** It failed; it is tried again when somebody needs it, not before `retryAt`. */
  | 'waiting'
  /** It failed so often in a row that something must be wrong. It is still tried, but rarely. */
  | 'failed'
  /** Somebody has to sign in first. It is asked again with each call, and nothing else tries it. */
  | 'auth-needed'
  | 'disabled'

/** From the fifth failure in a row on it counts as a crash loop. */
const crashLoop = 5
const firstDelay = 250
const longestDelay = 30_000
/** Whoever needs the server waits out a pause that is shorter than this. */
const shortPause = 1000

/**
 * Watches over the starts of one server: how often they failed, why, and when the next one may be
 * made. The first failure after a healthy time costs nothing, so that a crash is followed by a
 * restart at once; failures in a row wait twice as long each.
 */
export class Supervisor {
  readonly #clock: Clock
  readonly #onChange: () => void
  #failures = 0
  #retryAt = 0
  #reason: string | undefined
  #since: number
  #starting = 0
  #connections = 0
  #restarts = 0
  /** Whether the next start is one more try after something went wrong. */
  #broken = false
  /** Why somebody has to sign in. */
  #signIn: string | undefined
  /** Counts failures, so that several attempts that failed side by side are one. */
  #era = 0

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock
    this.#onChange = onChange
    this.#since = clock.now()
  }

  get condition(): ServerCondition {
    if (this.#signIn !== undefined) return 'auth-needed'
    if (this.#connections > 0) return 'ready'
    if (this.#starting > 0) return 'starting'
    if (this.#failures >= crashLoop) return 'failed'
    return this.#failures > 0 ? 'waiting' : 'idle'
  }

  /** Why it is not ready; `undefined` while nothing is wrong. */
  get reason(): string | undefined {
    if (this.#signIn !== undefined) return this.#signIn
    if (this.#connections > 0 || this.#failures === 0) return undefined
    if (this.#failures < crashLoop) return this.#reason
    return `${this.#reason} (failed ${this.#failures} times in a row)`
  }

  /** When the condition last changed. */
  get since(): number {
    return this.#since
  }

  /** How often it was started again after something had gone wrong. */
  get restarts(): number {
    return this.#restarts
  }

  get connections(): number {
    return this.#connections
  }

  /** How long to wait before the next attempt, in milliseconds; `undefined` where that is too long to wait. */
  pause(): number | undefined {
    const left = this.delay()
    return left <= shortPause ? left : undefined
  }

  /** How long until the next attempt may be made, in milliseconds. */
  delay(): number {
    return Math.max(0, this.#retryAt - this.#clock.now())
  }

  /** When the next attempt may be made, for a message. */
  get retryIn(): string {
    return `${Math.ceil(this.delay() / 1000)} s`
  }

  /** An attempt begins. Hand what it returns to whatever tells how it ended. */
  onStart(): number {
    this.#change(() => {
      this.#starting += 1
    })
    return this.#era
  }

  onReady(): void {
    this.#change(() => {
      this.#starting -= 1
      this.#connections += 1
      this.#signIn = undefined
      if (this.#broken) this.#restarts += 1
      this.#broken = false
    })
  }

  /** An attempt failed before the server was ready; `undefined` where it was given up from our side. */
  onStartFailed(reason: string | undefined, era: number): void {
    this.#change(() => {
      this.#starting -= 1
      if (reason !== undefined) this.#fail(reason, era)
    })
  }

  /** An attempt failed because somebody has to sign in: nothing is broken. */
  onStartRefused(reason: string): void {
    this.#change(() => {
      this.#starting -= 1
      this.#signIn = reason
    })
  }

  /** Somebody has to sign in, although it had been ready. */
  onSignInNeeded(reason: string): void {
    this.#change(() => {
      this.#signIn = reason
    })
  }

  /** It works: what went wrong before is over. */
  onUseful(): void {
    this.#failures = 0
    this.#retryAt = 0
  }

  /** Forgets what went wrong, so that the next use tries at once. */
  reset(): void {
    this.#change(() => {
      this.#signIn = undefined
      this.onUseful()
    })
  }

  /** A ready connection ended: as it was meant to, or with a reason. `useful` when it answered anything. */
  onEnd(reason: string | undefined, useful: boolean, era: number): void {
    this.#change(() => {
      this.#connections -= 1
      if (reason === undefined) return
      if (!useful) this.#fail(reason, era)
      else if (this.#failures === 0) {
        this.#failures = 1
        this.#reason = reason
        this.#broken = true
      }
    })
  }

  #fail(reason: string, era: number): void {
    this.#reason = reason
    this.#broken = true
    if (era !== this.#era) return
    this.#era += 1
    this.#failures += 1
    const delay = Math.min(longestDelay, firstDelay * 2 ** (this.#failures - 1))
    // Half of it at random, so that many gateways do not knock in step.
    this.#retryAt = this.#clock.now() + delay / 2 + (Math.random() * delay) / 2
  }

  #change(change: () => void): void {
    const before = this.condition
    change()
    if (this.condition === before) return
    this.#since = this.#clock.now()
    this.#onChange()
  }
}
