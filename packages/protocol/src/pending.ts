import type { Progress, Timeouts } from './call.ts'
import type { CancelListener } from './cancellation.ts'
import type { Clock } from './clock.ts'
import type { Deadlines, Timed } from './deadlines.ts'
import { ProtocolError } from './errors.ts'
import type { JsonObject, RequestId } from './message.ts'
import type { PendingRequest, RequestOptions } from './session.ts'

/** Five minutes to the first sign of life and between two, one hour in all. */
export const defaultTimeouts: Timeouts = { request: 300_000, idle: 300_000, total: 3_600_000 }

/** For what a person answers, who may take all day, and where another hop keeps the time. */
export const noTimeouts: Timeouts = {
  request: Number.POSITIVE_INFINITY,
  idle: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
}

/** What a pending request needs of the session that sent it. */
export interface PendingOwner {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly timeouts: Timeouts
  /** How many of its requests wait for an answer; they keep the count. */
  awaiting: number
  /** The request was given up, by its sender or for want of time: tell the other end. */
  onAbandon(pending: Pending, reason: string): void
}

/**
 * A request that waits for its answer, and its one timeout model: `request` until the first sign of
 * life, `idle` between two, `total` over all; none of them runs while a question is open.
 */
export class Pending implements PendingRequest, Timed, CancelListener {
  readonly id: RequestId
  readonly method: string
  readonly promise: Promise<JsonObject>
  deadline: number = Number.POSITIVE_INFINITY
  previous: Timed | undefined = undefined
  next: Timed | undefined = undefined
  settled = false
  readonly owner: PendingOwner
  readonly #options: RequestOptions
  #lastDeadline: number = Number.POSITIVE_INFINITY
  /** Which limit `deadline` stands for, unless the last one comes first. */
  #limit: 'request' | 'idle' = 'request'
  #heldDeadline = 0
  #heldSince = 0
  #holds = 0
  #armed = false
  #resolve!: (result: JsonObject) => void
  #reject!: (error: unknown) => void

  constructor(owner: PendingOwner, id: RequestId, method: string, options: RequestOptions) {
    this.id = id
    this.method = method
    this.owner = owner
    this.#options = options
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** What is being waited for, as a person would name it. */
  get label(): string {
    return this.#options.label ?? this.method
  }

  /** Starts the timers and listens for cancellation; not needed where the answer came at once. */
  arm(): void {
    if (this.settled) return
    this.#armed = true
    this.owner.awaiting += 1
    this.#startTimers()
    this.owner.deadlines.add(this)
    const { cancellation, signal } = this.#options
    cancellation?.listen(this)
    signal?.addEventListener('abort', this)
    if (cancellation?.cancelled) this.onCancel(cancellation.reason)
    else if (signal?.aborted) this.onCancel(signal.reason)
  }

  resolve(result: JsonObject): void {
    if (this.#settle()) this.#resolve(result)
  }

  reject(error: unknown): void {
    if (this.#settle()) this.#reject(error)
  }

  touch(): void {
    if (this.settled) return
    // While a question is open, time stands still.
    const now = this.#holds === 0 ? this.owner.clock.now() : this.#heldSince
    const idle = now + (this.#options.timeouts?.idle ?? this.owner.timeouts.idle)
    const deadline = Math.min(idle, this.#lastDeadline)
    this.#limit = 'idle'
    if (this.#holds === 0) this.deadline = deadline
    else this.#heldDeadline = deadline
  }

  progress(progress: Progress): void {
    this.touch()
    this.#options.onProgress?.(progress)
  }

  hold(): () => void {
    if (this.#holds++ === 0) {
      this.#heldSince = this.owner.clock.now()
      this.#heldDeadline = this.deadline
      this.deadline = Number.POSITIVE_INFINITY
    }
    let held = true
    return () => {
      if (!held) return
      held = false
      if (--this.#holds === 0) this.#release()
    }
  }

  onDeadline(): void {
    if (this.settled) return
    const limit = this.deadline === this.#lastDeadline ? 'total' : this.#limit
    const milliseconds = this.#options.timeouts?.[limit] ?? this.owner.timeouts[limit]
    const reason = `${missed[limit]} ${milliseconds / 1000} s`
    this.abandon(new ProtocolError('REQUEST_TIMEOUT', `${this.label} timed out: ${reason}`), reason)
  }

  onCancel(reason: unknown): void {
    this.abandon(cancelError(this.label, reason), reasonText(reason))
  }

  /** An `AbortSignal` calls its listeners by this name. */
  handleEvent(): void {
    this.onCancel(this.#options.signal?.reason)
  }

  /** Gives the request up: its sender gets the error, the other end is told the reason. */
  abandon(error: ProtocolError, reason: string): void {
    if (!this.#settle()) return
    this.#reject(error)
    this.owner.onAbandon(this, reason)
  }

  /** Time runs from here; where a question is open already, from when it is answered. */
  #startTimers(): void {
    const now = this.owner.clock.now()
    const { timeouts } = this.#options
    this.#lastDeadline = now + (timeouts?.total ?? this.owner.timeouts.total)
    const first = Math.min(
      now + (timeouts?.request ?? this.owner.timeouts.request),
      this.#lastDeadline,
    )
    if (this.#holds === 0) this.deadline = first
    else {
      this.#heldDeadline = first
      this.#heldSince = now
    }
  }

  #release(): void {
    const held = this.owner.clock.now() - this.#heldSince
    this.deadline = this.#heldDeadline + held
    this.#lastDeadline += held
  }

  #settle(): boolean {
    if (this.settled) return false
    this.settled = true
    if (this.#armed) {
      this.owner.awaiting -= 1
      this.owner.deadlines.remove(this)
      this.#options.cancellation?.unlisten(this)
      this.#options.signal?.removeEventListener('abort', this)
    }
    return true
  }
}

/** The error for a request whose sender took it back before it was sent: then it is not sent at all. */
export function errorIfCancelled(
  method: string,
  options: RequestOptions,
): ProtocolError | undefined {
  const { cancellation, signal } = options
  // The label is read where it is needed: making it costs something.
  if (cancellation?.cancelled) return cancelError(options.label ?? method, cancellation.reason)
  return signal?.aborted ? cancelError(options.label ?? method, signal.reason) : undefined
}

function cancelError(label: string, reason: unknown): ProtocolError {
  const message = `${label} was cancelled: ${reasonText(reason)}`
  return new ProtocolError('REQUEST_CANCELLED', message, { cause: reason })
}

/** What a timeout's message says before the limit. */
const missed = {
  request: 'no answer within',
  idle: 'no sign of life for',
  total: 'no answer, in all, within',
} as const

function reasonText(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason ?? 'no reason given')
}
