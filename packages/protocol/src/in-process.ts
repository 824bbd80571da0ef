import {
  type Caller,
  type CallInfo,
  localPrincipal,
  type Principal,
  type Progress,
  type Timeouts,
} from './call.ts'
import { createCallId } from './call-id.ts'
import { Cancellation } from './cancellation.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Deadlines, deadlinesOf } from './deadlines.ts'
import { ProtocolError } from './errors.ts'
import type { JsonObject, RequestId, RequestMessage } from './message.ts'
import { isObject } from './parse-message.ts'
import { peerFromInitialize } from './peer.ts'
import { defaultTimeouts, Pending, type PendingOwner } from './pending.ts'
import { refusingCaller } from './refusing-caller.ts'
import { createRequestIds } from './request-ids.ts'
import type { MessageContext, MessageHandler, Peer, RequestOptions, Session } from './session.ts'
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
    this.#nextId = createRequestIds(this.clock)
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
    const { handler, session } = this.otherEnd()
    const message: RequestMessage = {
      jsonrpc: '2.0',
      id: this.#nextId(),
      method,
      params: this.cross(params),
    }
    const pending = new LocalRequest(this, message.id, method, options, session)
    options.onPending?.(pending)
    let result: unknown
    try {
      if (method === 'initialize') session.adopt(peerFromInitialize(params))
      result = handler.onMessage(message, pending.context)
    } catch (error) {
      return Promise.reject(error)
    }
    if (!isThenable(result)) return Promise.resolve(this.#toResult(result))
    result.then(
      (value) => pending.resolve(this.#toResult(value)),
      (error: unknown) => pending.reject(error),
    )
    pending.arm()
    return pending.promise
  }

  notify(method: string, params?: JsonObject): void {
    if (this.ending.cancelled) return
    const { handler, session } = this.otherEnd()
    const context = new LocalContext(session, undefined, this)
    const message = { jsonrpc: '2.0' as const, method, params: params && this.cross(params) }
    try {
      const result = handler.onMessage(message, context)
      if (isThenable(result)) result.then(undefined, (error: unknown) => this.#report(error))
    } catch (error) {
      this.#report(error)
    }
  }

  onAbandon(pending: Pending, reason: string): void {
    if (pending instanceof LocalRequest) pending.context.cancellation.cancel(reason)
  }

  abstract close(reason?: string): Promise<void>

  /** Fails what this end still waits for. */
  end(reason: string): void {
    if (this.ending.cancelled) return
    this.ending.cancel(reason)
    for (const entry of this.deadlines.entries()) {
      if (entry instanceof LocalRequest && entry.owner === this) {
        entry.abandon(this.#closedError(entry.label), reason)
      }
    }
  }

  protected abstract otherEnd(): { handler: MessageHandler; session: End }

  protected cross<T>(value: T): T {
    if (this.#crossing === 'reference') return value
    return this.#crossing === 'frozen' ? freezeJson(value) : structuredClone(value)
  }

  #toResult(value: unknown): JsonObject {
    return isObject(value) ? this.cross(value) : {}
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
class NearEnd extends End {
  readonly kind = 'upstream'
  readonly #far: { handler: MessageHandler; session: FarEnd }

  constructor(handler: MessageHandler, options: InProcessOptions) {
    super(options)
    this.#far = { handler, session: new FarEnd(this, options) }
  }

  async close(reason = 'the session was closed'): Promise<void> {
    this.end(reason)
    this.#far.session.end(reason)
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
    this.context = new LocalContext(session, options.context, owner, this)
  }
}

/** What a handler in this process gets: the caller's own context, with the handler's session. */
class LocalContext implements MessageContext {
  readonly session: Session
  readonly #outer: MessageContext | undefined
  readonly #owner: End
  readonly #pending: Pending | undefined
  #cancellation: Cancellation | undefined
  #call: CallInfo | undefined

  constructor(session: Session, outer: MessageContext | undefined, owner: End, pending?: Pending) {
    this.session = session
    this.#outer = outer
    this.#owner = owner
    this.#pending = pending
  }

  get principal(): Principal {
    return this.#outer?.principal ?? this.#owner.principal
  }

  get call(): CallInfo {
    if (this.#outer) return this.#outer.call
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
    return this.#outer?.caller ?? refusingCaller
  }

  progress(progress: Progress): void {
    if (this.#pending && !this.#pending.settled) this.#pending.progress(progress)
  }

  notify(method: string, params?: JsonObject): void {
    if (this.#pending?.settled) return
    this.#pending?.touch()
    if (this.#outer) this.#outer.notify(method, params)
    else this.session.notify(method, params)
  }

  ask(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#outer) return this.#outer.ask(method, params)
    return this.session.request(method, params)
  }
}
