import { localPrincipal, type Principal, type Timeouts } from './call.ts'
import { type CancelListener, Cancellation } from './cancellation.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Deadlines, deadlinesOf } from './deadlines.ts'
import { isProtocolError, ProtocolError } from './errors.ts'
import { LocalContext, type LocalOwner, type LocalRequest } from './local-context.ts'
import type { JsonObject, NotificationMessage, RequestMessage } from './message.ts'
import { isObject } from './parse-message.ts'
import { peerFromInitialize } from './peer.ts'
import { defaultTimeouts, errorIfCancelled, Pending } from './pending.ts'
import { requestIdsOf } from './request-ids.ts'
import type { MessageHandler, Peer, RequestOptions, Session } from './session.ts'
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

abstract class End implements Session, LocalOwner {
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

  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    const answer = this.requestNow(method, params, options)
    return answer instanceof Promise ? answer : Promise.resolve(answer)
  }

  requestNow(
    method: string,
    params: JsonObject,
    options: RequestOptions = {},
  ): JsonObject | Promise<JsonObject> {
    if (this.ending.cancelled) return Promise.reject(this.#closedError(options.label ?? method))
    // Over a wire the other session answers it.
    if (method === 'ping') return {}
    const cancelled = errorIfCancelled(method, options)
    if (cancelled) return Promise.reject(cancelled)
    const { handler, session } = this.otherEnd()
    const id = this.#nextId()
    const context = new LocalContext(session, this, options, { id, method })
    try {
      const crossed = this.cross(params, 'params')
      const message: RequestMessage = { jsonrpc: '2.0', id, method, params: crossed }
      if (method === 'initialize') session.adopt(peerFromInitialize(params))
      const result = handler.onMessage(message, context)
      return isThenable(result) ? this.#await(result, context) : this.#settle(context, result)
    } catch (error) {
      return Promise.reject(this.#toError(context.end(), error))
    }
  }

  notify(method: string, params?: JsonObject): void {
    if (this.ending.cancelled) return
    const { handler, session } = this.otherEnd()
    const context = new LocalContext(session, this)
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
      if (entry instanceof Pending && entry.owner === this) {
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

  /** The handler answered at once. */
  #settle(context: LocalContext, value: unknown): JsonObject | Promise<JsonObject> {
    const result = this.#toResult(value)
    const request = context.end()
    if (!request) return result
    // It asked something all the same, so somebody may have given the request up meanwhile.
    request.resolve(result)
    return request.promise
  }

  #await(result: PromiseLike<unknown>, context: LocalContext): Promise<JsonObject> {
    const request = context.begin()
    result.then(
      (value) => this.#succeed(request, value),
      (error: unknown) => this.#fail(request, error),
    )
    request.arm()
    // The handler may have closed the session before it returned.
    if (this.ending.cancelled) request.abandon(this.#closedError(request.label), 'closed')
    return request.promise
  }

  #succeed(request: LocalRequest, value: unknown): void {
    if (request.settled) return
    try {
      request.resolve(this.#toResult(value))
    } catch (error) {
      this.#fail(request, error)
    }
  }

  #fail(request: LocalRequest, error: unknown): void {
    if (!request.settled) request.reject(this.#toError(undefined, error))
  }

  #toResult(value: unknown): JsonObject {
    return isObject(value) ? this.cross(value, 'result') : {}
  }

  /** What may be told of a failure; a request that has been made meanwhile is over. */
  #toError(request: LocalRequest | undefined, error: unknown): ProtocolError {
    const told = isProtocolError(error)
      ? error
      : new ProtocolError('INTERNAL_ERROR', 'Internal error', { cause: error })
    if (told !== error) this.#report(error)
    request?.promise.catch(() => {})
    request?.reject(told)
    return told
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
