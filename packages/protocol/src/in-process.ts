import {
  type Caller,
  type CallInfo,
  localPrincipal,
  type Principal,
  type Progress,
  type Timeouts,
} from './call.ts'
import { createCallId } from './call-id.ts'
import { type CancelListener, Cancellation } from './cancellation.ts'
import { checkClientCapability } from './client-capabilities.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Deadlines, deadlinesOf } from './deadlines.ts'
import { isProtocolError, ProtocolError } from './errors.ts'
import type { JsonObject, NotificationMessage, RequestId, RequestMessage } from './message.ts'
import { isObject } from './parse-message.ts'
import { peerFromInitialize } from './peer.ts'
import { defaultTimeouts, noTimeouts, Pending, type PendingOwner } from './pending.ts'
import { refusingCaller } from './refusing-caller.ts'
import { requestIdsOf } from './request-ids.ts'
import type {
  CallScope,
  MessageContext,
  MessageHandler,
  Peer,
  RequestOptions,
  Session,
} from './session.ts'
import { freezeJson } from './strict-json.ts'
import { isThenable } from './thenable.ts'

/** How values cross between two ends in one process. */
export type Crossing =
  /** As they are: nobody changes a message once sent. */
  | 'reference'
  /** As they are, frozen, and refused where JSON could not hold them: for tests and `dev`. */
  | 'frozen'
  /** As copies, for code that is not ours. */
  | 'copy'

export interface InProcessOptions {
  /** Answers what the server says of its own accord: notifications, and requests outside a call. */
  client?: MessageHandler | undefined
  parent?: Session | undefined
  principal?: Principal | undefined
  timeouts?: Partial<Timeouts> | undefined
  clock?: Clock | undefined
  crossing?: Crossing | undefined
  onError?: ((error: Error) => void) | undefined
}

/**
 * Opens a conversation with a handler in this process. There is nothing between the ends: a request
 * is a call of `onMessage`, and the context of the caller's own call goes along by reference.
 */
export function openInProcess(handler: MessageHandler, options: InProcessOptions = {}): Session {
  return new NearEnd(handler, options)
}

abstract class End implements Session, PendingOwner {
  abstract readonly kind: 'client' | 'upstream'
  readonly parent: Session | undefined
  readonly principal: Principal
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly timeouts: Timeouts
  readonly ending: Cancellation = new Cancellation()
  /** How many requests of this end wait for an answer. */
  awaiting = 0
  readonly #crossing: Crossing
  readonly #nextId: () => number
  readonly #onError: ((error: Error) => void) | undefined
  #id: string | undefined
  protected knownPeer: Peer | undefined

  constructor(options: InProcessOptions) {
    this.parent = options.parent
    this.principal = options.principal ?? localPrincipal
    this.clock = options.clock ?? systemClock
    this.deadlines = deadlinesOf(this.clock)
    this.timeouts = options.timeouts ? { ...defaultTimeouts, ...options.timeouts } : defaultTimeouts
    this.#crossing = options.crossing ?? 'reference'
    this.#onError = options.onError
    this.#nextId = requestIdsOf(this.clock)
  }

  get id(): string {
    this.#id ??= crypto.randomUUID()
    return this.#id
  }

  get root(): Session {
    return this.parent?.root ?? this
  }

  get peer(): Peer | undefined {
    return this.knownPeer
  }

  get closed(): AbortSignal {
    return this.ending.signal
  }

  adopt(peer: Peer): void {
    this.knownPeer = peer
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    if (this.ending.cancelled) return Promise.reject(this.#closedError(options.label ?? method))
    // Over a wire the other session answers it.
    if (method === 'ping') return Promise.resolve({})
    const { handler, session } = this.otherEnd()
    const id = this.#nextId()
    const pending = new LocalRequest(this, id, method, options, session)
    if (pending.rejectIfCancelled()) return pending.promise
    options.onPending?.(pending)
    try {
      const crossed = this.cross(params, 'params')
      const message: RequestMessage = { jsonrpc: '2.0', id, method, params: crossed }
      if (method === 'initialize') session.adopt(peerFromInitialize(params))
      const result = handler.onMessage(message, pending.context)
      if (isThenable(result)) this.#await(result, pending)
      else this.#succeed(pending, result)
    } catch (error) {
      this.#fail(pending, error)
    }
    return pending.promise
  }

  notify(method: string, params?: JsonObject): void {
    if (this.ending.cancelled) return
    const { handler, session } = this.otherEnd()
    const context = new LocalContext(session, undefined, this)
    const crossed = params && this.cross(params, 'params')
    const message: NotificationMessage = { jsonrpc: '2.0', method, params: crossed }
    this.attempt(() => handler.onMessage(message, context))
  }

  onAbandon(pending: LocalRequest, reason: string): void {
    this.attempt(() => pending.context.cancellation.cancel(reason))
  }

  abstract close(reason?: string): Promise<void>

  /** Fails what this end still waits for. */
  end(reason: string): void {
    if (this.ending.cancelled) return
    this.attempt(() => this.ending.cancel(reason))
    if (this.awaiting === 0) return
    for (const entry of this.deadlines.entries()) {
      if (entry instanceof LocalRequest && entry.owner === this) {
        entry.abandon(this.#closedError(entry.label), reason)
      }
    }
  }

  protected abstract otherEnd(): { handler: MessageHandler; session: End }

  /** A value on its way to the other end. */
  cross<T>(value: T, place: string): T {
    if (this.#crossing === 'reference') return value
    return this.#crossing === 'frozen' ? freezeJson(value, place) : structuredClone(value)
  }

  /** Runs what must not stop the rest. */
  attempt(work: () => unknown): void {
    try {
      const result = work()
      if (isThenable(result)) result.then(undefined, (error: unknown) => this.#report(error))
    } catch (error) {
      this.#report(error)
    }
  }

  #await(result: PromiseLike<unknown>, pending: LocalRequest): void {
    result.then(
      (value) => this.#succeed(pending, value),
      (error: unknown) => this.#fail(pending, error),
    )
    pending.arm()
    // The handler may have closed the session before it returned.
    if (this.ending.cancelled) pending.abandon(this.#closedError(pending.label), 'closed')
  }

  #succeed(pending: LocalRequest, value: unknown): void {
    if (pending.settled) return
    try {
      pending.resolve(isObject(value) ? this.cross(value, 'result') : {})
    } catch (error) {
      this.#fail(pending, error)
    }
  }

  #fail(pending: LocalRequest, error: unknown): void {
    if (pending.settled) return
    if (isProtocolError(error)) pending.reject(error)
    else {
      this.#report(error)
      pending.reject(new ProtocolError('INTERNAL_ERROR', 'Internal error', { cause: error }))
    }
  }

  #report(error: unknown): void {
    this.#onError?.(error instanceof Error ? error : new Error(String(error)))
  }

  #closedError(label: string): ProtocolError {
    const reason = String(this.ending.reason)
    return new ProtocolError('CONNECTION_CLOSED', `${label}: connection closed: ${reason}`)
  }
}

/** The end of whoever uses the server. */
class NearEnd extends End implements CancelListener {
  readonly kind = 'upstream'
  readonly #far: { handler: MessageHandler; session: FarEnd }

  constructor(handler: MessageHandler, options: InProcessOptions) {
    super(options)
    this.#far = { handler, session: new FarEnd(this, options) }
    this.parent?.ending.listen(this)
  }

  async close(reason = 'the session was closed'): Promise<void> {
    this.parent?.ending.unlisten(this)
    this.end(reason)
    this.#far.session.end(reason)
  }

  /** The session that this one hangs off has ended. */
  onCancel(reason: unknown): void {
    void this.close(String(reason))
  }

  protected otherEnd(): { handler: MessageHandler; session: End } {
    return this.#far
  }
}

/** The end that the server sees. */
class FarEnd extends End {
  readonly kind = 'client'
  readonly #near: NearEnd
  readonly #client: MessageHandler

  constructor(near: NearEnd, options: InProcessOptions) {
    super(options)
    this.#near = near
    this.#client = options.client ?? refuseEverything
  }

  async close(reason?: string): Promise<void> {
    await this.#near.close(reason)
  }

  protected otherEnd(): { handler: MessageHandler; session: End } {
    return { handler: this.#client, session: this.#near }
  }
}

const refuseEverything: MessageHandler = {
  onMessage(message) {
    if ('id' in message) {
      throw new ProtocolError('METHOD_NOT_FOUND', `Method not found: ${message.method}`)
    }
  },
}

/** A request to a handler in this process. */
class LocalRequest extends Pending {
  readonly context: LocalContext

  constructor(
    owner: End,
    id: RequestId,
    method: string,
    options: RequestOptions,
    session: Session,
  ) {
    super(owner, id, method, options)
    this.context = new LocalContext(session, options.scope, owner, this)
  }
}

/** What a handler in this process gets: the caller's own context, with the handler's session. */
class LocalContext implements MessageContext {
  readonly session: Session
  readonly #scope: CallScope | undefined
  readonly #owner: End
  readonly #pending: Pending | undefined
  #cancellation: Cancellation | undefined
  #call: CallInfo | undefined

  constructor(session: Session, scope: CallScope | undefined, owner: End, pending?: Pending) {
    this.session = session
    this.#scope = scope
    this.#owner = owner
    this.#pending = pending
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
    const pending = this.#pending
    if (!pending || pending.settled) return
    const crossed = this.#owner.cross(progress, 'progress')
    // Who asked for the progress must not stop who reports it.
    this.#owner.attempt(() => pending.progress(crossed))
  }

  notify(method: string, params?: JsonObject): void {
    if (this.#pending?.settled) return
    this.#pending?.touch()
    if (this.#scope) this.#scope.notify(method, params && this.#owner.cross(params, 'params'))
    else this.session.notify(method, params)
  }

  /** The timers of the call stand still until there is an answer. */
  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const release = this.#pending?.hold()
    try {
      return this.#owner.cross(await this.#ask(method, params, signal), 'result')
    } finally {
      release?.()
      this.#pending?.touch()
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
