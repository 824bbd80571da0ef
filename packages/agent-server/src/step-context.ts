import {
  type Actor,
  type Caller,
  type CallInfo,
  type Cancellation,
  createCallId,
  type JsonObject,
  type MessageContext,
  type Origin,
  type Principal,
  type Progress,
  type Session,
} from '@mobius-mcp/protocol'

/** What an agent's calls are made with: who acts, and the context whose session is the thread's. */
export type AgentContext = Actor & MessageContext

/** What a step needs of its turn. */
export interface StepOwner {
  readonly session: Session
  readonly principal: Principal
  /** The agent's, and what led to it. */
  readonly origin: Origin
  readonly depth: number
  /** The call that the turn answers, while it is being answered. */
  readonly cause: CallInfo | undefined
  readonly cancellation: Cancellation
  callerFor(context: AgentContext): Caller
  notify(method: string, params: JsonObject | undefined): void
  ask(
    step: string,
    method: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject>
}

/** The context in which one step of a turn makes its calls: under the root session of the thread. */
export class StepContext implements MessageContext, Actor {
  readonly call: CallInfo
  readonly #owner: StepOwner
  readonly #step: string

  constructor(owner: StepOwner, step: string) {
    this.#owner = owner
    this.#step = step
    this.call = toCall(owner)
  }

  get session(): Session {
    return this.#owner.session
  }

  get principal(): Principal {
    return this.#owner.principal
  }

  get origin(): Origin {
    return this.#owner.origin
  }

  get cancellation(): Cancellation {
    return this.#owner.cancellation
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get caller(): Caller {
    return this.#owner.callerFor(this)
  }

  progress(_progress: Progress): void {
    // Each call of a step is given a listener of its own.
  }

  notify(method: string, params?: JsonObject): void {
    this.#owner.notify(method, params)
  }

  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    return this.#owner.ask(this.#step, method, params, signal)
  }
}

function toCall({ cause, origin, depth }: StepOwner): CallInfo {
  // What a host keeps with its calls beside this, such as the configuration that they go by, goes along.
  if (cause)
    return Object.create(cause, { origin: { value: origin, enumerable: true } }) as CallInfo
  return { id: createCallId(), origin, depth }
}
