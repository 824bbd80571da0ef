import { type CancelListener, type JsonObject, ProtocolError } from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import { reasonOf, unavailable } from './errors.ts'

/** More calls than this do not wait: whoever comes too late is told so. */
const longestQueue = 1000

/** Lets so many calls to a server through at once; the others wait, first come, first served. */
export class CallGate {
  readonly #server: string
  readonly #limit: number
  #inFlight = 0
  readonly #waiting = new Set<WaitingCall>()

  constructor(server: string, limit: number) {
    this.#server = server
    this.#limit = limit
  }

  pass(call: Call, send: () => Promise<JsonObject>): Promise<JsonObject> {
    if (this.#inFlight < this.#limit) return this.#start(send)
    if (this.#waiting.size >= longestQueue) return Promise.reject(this.#full())
    return this.#wait(call, send)
  }

  async #wait(call: Call, send: () => Promise<JsonObject>): Promise<JsonObject> {
    const waiting = new WaitingCall(call)
    this.#waiting.add(waiting)
    try {
      await waiting.turn
    } finally {
      waiting.stop()
      this.#waiting.delete(waiting)
    }
    // Its place was kept free for it.
    return await this.#run(send)
  }

  #start(send: () => Promise<JsonObject>): Promise<JsonObject> {
    this.#inFlight += 1
    return this.#run(send)
  }

  async #run(send: () => Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await send()
    } finally {
      this.#leave()
    }
  }

  /** Hands the place to whoever has waited longest. */
  #leave(): void {
    for (const waiting of this.#waiting) {
      if (!waiting.proceed()) continue
      this.#waiting.delete(waiting)
      return
    }
    this.#inFlight -= 1
  }

  #full(): ProtocolError {
    return unavailable(
      this.#server,
      `${this.#inFlight} calls are in flight, which is its limit, and ${longestQueue} more are waiting. Try again later.`,
    )
  }
}

/** A call that waits, unless somebody takes it back. */
class WaitingCall implements CancelListener {
  readonly turn: Promise<void>
  readonly #call: Call
  #settled = false
  #resolve!: () => void
  #reject!: (error: Error) => void

  constructor(call: Call) {
    this.#call = call
    this.turn = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    const { cancellation, signal } = call
    cancellation.listen(this)
    signal?.addEventListener('abort', this)
    if (cancellation.cancelled) this.onCancel(cancellation.reason)
    else if (signal?.aborted) this.onCancel(signal.reason)
  }

  /** False where it has been taken back. */
  proceed(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#resolve()
    return true
  }

  stop(): void {
    this.#call.cancellation.unlisten(this)
    this.#call.signal?.removeEventListener('abort', this)
  }

  onCancel(reason: unknown): void {
    if (this.#settled) return
    this.#settled = true
    const text = `${this.#call.label} was cancelled while it waited: ${reasonOf(reason)}`
    this.#reject(new ProtocolError('REQUEST_CANCELLED', text))
  }

  /** An `AbortSignal` calls its listeners by this name. */
  handleEvent(): void {
    this.onCancel(this.#call.signal?.reason)
  }
}
