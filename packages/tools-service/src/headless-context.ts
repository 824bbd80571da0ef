import {
  type Actor,
  type Caller,
  type CallInfo,
  Cancellation,
  createCallId,
  type JsonObject,
  type MessageContext,
  type Principal,
} from '@mobius-mcp/protocol'
import type { CallHost } from './call.ts'
import { HeadlessSession } from './headless-session.ts'

/** The context of work that no message started, under a root session of its own. */
export class HeadlessContext implements MessageContext {
  readonly session: HeadlessSession
  readonly principal: Principal
  readonly call: CallInfo
  readonly cancellation: Cancellation = new Cancellation()
  readonly #host: CallHost

  constructor(actor: Actor, info: JsonObject, host: CallHost) {
    this.session = new HeadlessSession(info)
    this.principal = actor.principal
    // Its calls are one deeper, and those are the first.
    this.call = { id: createCallId(), origin: actor.origin, depth: -1 }
    this.#host = host
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get caller(): Caller {
    return this.#host.callerFor(this)
  }

  progress(): void {
    // Nobody watches.
  }

  notify(): void {
    // Nobody listens.
  }

  async ask(method: string): Promise<JsonObject> {
    return await this.session.request(method)
  }
}
