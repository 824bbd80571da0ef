import type {
  Actor,
  Caller,
  CallInfo,
  Cancellation,
  JsonObject,
  MessageContext,
  Origin,
  Principal,
  Progress,
  Session,
} from '@mobius-mcp/protocol'
import type { AgentContext } from './step-context.ts'

/**
 * The context of a client's message, with a `Caller` even where the host gave none along: who asks for
 * a list has made no call, but what others offer is listed in its name all the same.
 */
export class ClientContext implements MessageContext, Actor {
  readonly #message: MessageContext
  readonly #callerFor: (context: AgentContext) => Caller

  constructor(message: MessageContext, callerFor: (context: AgentContext) => Caller) {
    this.#message = message
    this.#callerFor = callerFor
  }

  get session(): Session {
    return this.#message.session
  }

  get principal(): Principal {
    return this.#message.principal
  }

  get call(): CallInfo {
    return this.#message.call
  }

  get origin(): Origin {
    return this.call.origin
  }

  get cancellation(): Cancellation {
    return this.#message.cancellation
  }

  get signal(): AbortSignal {
    return this.#message.signal
  }

  get caller(): Caller {
    return this.#callerFor(this)
  }

  progress(progress: Progress): void {
    this.#message.progress(progress)
  }

  notify(method: string, params?: JsonObject): void {
    this.#message.notify(method, params)
  }

  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    return this.#message.ask(method, params, signal)
  }
}
