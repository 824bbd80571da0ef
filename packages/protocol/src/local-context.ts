import type { Caller, CallInfo, Principal, Progress } from './call.ts'
import { createCallId } from './call-id.ts'
import { Cancellation } from './cancellation.ts'
import { checkClientCapability } from './client-capabilities.ts'
import type { JsonObject, RequestId } from './message.ts'
import { noTimeouts, Pending, type PendingOwner } from './pending.ts'
import { refusingCaller } from './refusing-caller.ts'
import type { CallScope, MessageContext, RequestOptions, Session } from './session.ts'

/** What a request in this process needs of the end that made it. */
export interface LocalOwner extends PendingOwner {
  readonly principal: Principal
  /** A value on its way to the other end. */
  cross<T>(value: T, place: string): T
  /** Runs what must not stop the rest. */
  attempt(work: () => unknown): void
}

/** A request to a handler in this process that is not answered at once. */
export class LocalRequest extends Pending {
  readonly context: LocalContext

  constructor(owner: LocalOwner, begun: Begun, options: RequestOptions, context: LocalContext) {
    super(owner, begun.id, begun.method, options)
    this.context = context
    options.onPending?.(this)
  }
}

/** What is known of a request when its handler is called. */
interface Begun {
  readonly id: RequestId
  readonly method: string
}

/** What a handler in this process gets: the caller's own context, with the handler's session. */
export class LocalContext implements MessageContext {
  readonly session: Session
  readonly #owner: LocalOwner
  readonly #options: RequestOptions | undefined
  readonly #scope: CallScope | undefined
  readonly #begun: Begun | undefined
  #request: LocalRequest | undefined
  #ended = false
  #cancellation: Cancellation | undefined
  #call: CallInfo | undefined

  constructor(session: Session, owner: LocalOwner, options?: RequestOptions, begun?: Begun) {
    this.session = session
    this.#owner = owner
    this.#options = options
    this.#scope = options?.scope
    this.#begun = begun
  }

  /** The request, made when something has to wait for it: most handlers answer at once and need none. */
  begin(): LocalRequest {
    if (!this.#begun) throw new TypeError('A notification is no request')
    this.#request ??= new LocalRequest(this.#owner, this.#begun, this.#options ?? {}, this)
    return this.#request
  }

  /** The handler has answered; returns the request, where there had to be one. */
  end(): LocalRequest | undefined {
    this.#ended = true
    return this.#request
  }

  get #over(): boolean {
    return this.#ended || (this.#request?.settled ?? false)
  }

  get principal(): Principal {
    return this.#scope?.principal ?? this.#owner.principal
  }

  get call(): CallInfo {
    if (this.#scope) return this.#scope.call
    this.#call ??= { id: createCallId(), origin: { kind: 'client' }, depth: 0 }
    return this.#call
  }

  get cancellation(): Cancellation {
    this.#cancellation ??= new Cancellation()
    return this.#cancellation
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get caller(): Caller {
    return this.#scope?.callerFor(this) ?? refusingCaller
  }

  progress(progress: Progress): void {
    if (!this.#begun || this.#over) return
    const request = this.begin()
    const crossed = this.#owner.cross(progress, 'progress')
    // Who asked for the progress must not stop who reports it.
    this.#owner.attempt(() => request.progress(crossed))
  }

  notify(method: string, params?: JsonObject): void {
    if (this.#over) return
    this.#request?.touch()
    if (this.#scope) this.#scope.notify(method, params && this.#owner.cross(params, 'params'))
    else this.session.notify(method, params)
  }

  /** The timers of the call stand still until there is an answer. */
  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const request = this.#begun && !this.#over ? this.begin() : undefined
    const release = request?.hold()
    try {
      return this.#owner.cross(await this.#ask(method, params, signal), 'result')
    } finally {
      release?.()
      request?.touch()
    }
  }

  #ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    if (this.#scope) return this.#scope.ask(method, this.#owner.cross(params, 'params'), signal)
    // Without a handshake nothing was declared, and the client's own handler decides.
    if (this.session.peer) checkClientCapability(method, params, this.session.peer)
    const { cancellation } = this
    return this.session.request(method, params, { signal, cancellation, timeouts: noTimeouts })
  }
}
