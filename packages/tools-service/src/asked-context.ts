import type {
  Caller,
  Cancellation,
  JsonObject,
  MessageContext,
  Principal,
  Session,
} from '@mobius-mcp/protocol'
import type { CallNode } from './call.ts'
import type { HookCause } from './hook-cause.ts'

/** Where something stands that a server asks for itself: below the call in which it asks, or below its session. */
export interface AskedPlace {
  readonly cause: HookCause
  readonly session: Session
  readonly cancellation: Cancellation
  callerFor(context: MessageContext): Caller
}

/** The context in which calls are made to answer what a server asks. */
export class AskedContext implements MessageContext {
  readonly call: CallNode
  readonly #place: AskedPlace

  constructor(place: AskedPlace) {
    this.call = place.cause
    this.#place = place
  }

  get session(): Session {
    return this.#place.session
  }

  get principal(): Principal {
    return this.#place.cause.principal
  }

  get cancellation(): Cancellation {
    return this.#place.cancellation
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get caller(): Caller {
    return this.#place.callerFor(this)
  }

  progress(): void {
    // Whoever asks is told nothing before the answer.
  }

  notify(): void {
    // Nor are others.
  }

  ask(method: string, params: JsonObject): Promise<JsonObject> {
    return this.session.request(method, params)
  }
}
