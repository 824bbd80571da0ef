import type {
  Caller,
  Cancellation,
  JsonObject,
  MessageContext,
  Origin,
  Principal,
  Session,
} from '@mobius-mcp/protocol'
import type { Call, CallNode } from './call.ts'

/** The context in which a call's hooks run: what they call is a child of the call, and says so. */
export class HookContext implements MessageContext {
  readonly call: CallNode
  readonly #hooked: Call

  constructor(hooked: Call) {
    const { id, parent, depth, hops } = hooked
    const origin: Origin = { kind: 'hook', cause: hooked.origin }
    this.call = { id, parent, origin, depth, hops }
    this.#hooked = hooked
  }

  get session(): Session {
    return this.#hooked.cause.session
  }

  get principal(): Principal {
    return this.#hooked.principal
  }

  get cancellation(): Cancellation {
    return this.#hooked.cancellation
  }

  get signal(): AbortSignal {
    return this.#hooked.cause.signal
  }

  get caller(): Caller {
    return this.#hooked.callerFor(this)
  }

  progress(): void {
    // A hook's progress is not the call's.
  }

  notify(method: string, params?: JsonObject): void {
    this.#hooked.notify(method, params)
  }

  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    return this.#hooked.ask(method, params, signal)
  }
}
