import {
  type Clock,
  type Deadlines,
  deadlinesOf,
  defaultTimeouts,
  type JsonObject,
  type Session,
  type Timed,
} from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import { unavailable } from './errors.ts'
import { Withdrawal } from './withdrawal.ts'

/** More calls than this do not wait: whoever comes too late is told so. */
const longestQueue = 1000

export interface CallGateOptions {
  readonly server: string
  /** How many calls may be in flight. */
  readonly limit: number
  readonly clock: Clock
}

/**
 * Lets so many calls to a server through at once. The others wait: those of one root session first
 * come, first served, and the sessions take turns, so that nobody is kept out by who asks for much.
 */
export class CallGate {
  readonly #options: CallGateOptions
  readonly #deadlines: Deadlines
  /** By root session, the one whose turn is next first. */
  readonly #rows = new Map<Session, Set<WaitingCall>>()
  #inFlight = 0
  #waiting = 0

  constructor(options: CallGateOptions) {
    this.#options = options
    this.#deadlines = deadlinesOf(options.clock)
  }

  pass(call: Call, send: () => JsonObject | Promise<JsonObject>): Promise<JsonObject> {
    if (this.#inFlight >= this.#options.limit) return this.#wait(call, send)
    this.#inFlight += 1
    return this.#run(send)
  }

  async #wait(call: Call, send: () => JsonObject | Promise<JsonObject>): Promise<JsonObject> {
    if (this.#waiting >= longestQueue) {
      throw this.#refusal(`and ${longestQueue} more are waiting`)
    }
    const waiting = this.#enter(call)
    try {
      await waiting.turn
    } finally {
      this.#leave(call.root, waiting)
    }
    // Its place was kept free for it.
    return await this.#run(send)
  }

  async #run(send: () => JsonObject | Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await send()
    } finally {
      this.#handOver()
    }
  }

  #enter(call: Call): WaitingCall {
    const { clock } = this.#options
    const patience = call.timeouts?.request ?? defaultTimeouts.request
    const late = `and this call has waited ${patience / 1000} s for one of them to end`
    const waiting = new WaitingCall(call, {
      deadline: clock.now() + patience,
      onLate: () => this.#refusal(late),
    })
    const row = this.#rows.get(call.root)
    if (row) row.add(waiting)
    else this.#rows.set(call.root, new Set([waiting]))
    this.#waiting += 1
    this.#deadlines.add(waiting)
    return waiting
  }

  #leave(root: Session, waiting: WaitingCall): void {
    waiting.stop()
    this.#deadlines.remove(waiting)
    this.#remove(root, waiting)
  }

  #remove(root: Session, waiting: WaitingCall): void {
    const row = this.#rows.get(root)
    if (!row?.delete(waiting)) return
    this.#waiting -= 1
    if (row.size === 0) this.#rows.delete(root)
  }

  /** The place goes to the first of the row whose turn it is; then that row is the last. */
  #handOver(): void {
    for (const [root, row] of this.#rows) {
      for (const waiting of row) {
        this.#remove(root, waiting)
        if (!waiting.proceed()) continue
        this.#rows.delete(root)
        if (row.size > 0) this.#rows.set(root, row)
        return
      }
    }
    this.#inFlight -= 1
  }

  #refusal(why: string): Error {
    const { server, limit } = this.#options
    const calls = limit === 1 ? '1 call is' : `${limit} calls are`
    return unavailable(
      server,
      `${calls} in flight, which is its limit (maxInFlight), ${why}. Try again later.`,
    )
  }
}

interface Waiting {
  readonly deadline: number
  /** What it ends with when that has passed. */
  onLate(): Error
}

/** A call that waits, unless somebody takes it back or its time is up. */
class WaitingCall implements Timed {
  readonly turn: Promise<void>
  readonly deadline: number
  previous: Timed | undefined = undefined
  next: Timed | undefined = undefined
  readonly #withdrawal: Withdrawal
  readonly #onLate: () => Error
  #settled = false
  #resolve!: () => void
  #reject!: (error: Error) => void

  constructor(call: Call, { deadline, onLate }: Waiting) {
    this.deadline = deadline
    this.#onLate = onLate
    this.turn = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#withdrawal = new Withdrawal(call)
    const { cancellation } = this.#withdrawal
    cancellation.listen({ onCancel: () => this.#fail(this.#withdrawal.error) })
    if (cancellation.cancelled) this.#fail(this.#withdrawal.error)
  }

  /** False where it has been taken back. */
  proceed(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#resolve()
    return true
  }

  onDeadline(): void {
    this.#fail(this.#onLate())
  }

  stop(): void {
    this.#withdrawal.stop()
  }

  #fail(error: Error): void {
    if (this.#settled) return
    this.#settled = true
    this.#reject(error)
  }
}
