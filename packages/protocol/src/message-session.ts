import {
  type CallInfo,
  localPrincipal,
  type Origin,
  type Principal,
  type Timeouts,
} from './call.ts'
import { createCallId } from './call-id.ts'
import { type CancelListener, Cancellation } from './cancellation.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Deadlines, deadlinesOf } from './deadlines.ts'
import { isProtocolError, ProtocolError, toErrorObject } from './errors.ts'
import { IncomingMessage, type IncomingOwner, type MessageSource, type Outlet } from './incoming.ts'
import { LinkedSet } from './linked-set.ts'
import {
  isResponse,
  type JsonObject,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from './message.ts'
import { isObject } from './parse-message.ts'
import { peerFromInitialize } from './peer.ts'
import { defaultTimeouts, errorIfCancelled, type PendingOwner } from './pending.ts'
import { requestIdsOf } from './request-ids.ts'
import { explainFailure, SentRequest, withMeta } from './sent-request.ts'
import type {
  MessageHandler,
  Peer,
  RequestOptions,
  Session,
  SessionKind,
  SessionMemory,
} from './session.ts'
import { isThenable } from './thenable.ts'

export interface SessionOptions {
  /** How the session is known; by default a random UUID. */
  id?: string | undefined
  /** `upstream` by default. */
  kind?: SessionKind | undefined
  parent?: Session | undefined
  /** Who speaks where a message does not say; by default the machine's own user. */
  principal?: Principal | undefined
  timeouts?: Partial<Timeouts> | undefined
  clock?: Clock | undefined
  /** Where the session lives longer than its process. */
  memory?: SessionMemory | undefined
  /** Told of what the session survives: late answers, handlers that fail on a notification. */
  onError?: ((error: Error) => void) | undefined
}

/**
 * One end of a conversation over anything that carries messages. Whoever receives messages hands
 * them to `receive`; what the session has to say goes to its outlet.
 */
export class MessageSession implements IncomingOwner, PendingOwner, CancelListener {
  readonly kind: SessionKind
  readonly parent: Session | undefined
  readonly principal: Principal
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly timeouts: Timeouts
  readonly ending: Cancellation = new Cancellation()
  readonly memory: SessionMemory | undefined
  /** How many of our own requests wait for an answer. */
  awaiting = 0
  readonly #handler: MessageHandler
  readonly #outlet: Outlet
  readonly #onError: ((error: Error) => void) | undefined
  readonly #nextId: () => number
  #id: string | undefined
  #peer: Peer | undefined
  /** What the peer's calls come from: the same for all of them. */
  #origin: Origin | undefined
  #pending: Map<RequestId, SentRequest> | undefined
  /** A list, for few are in flight at once, and the newest of them end first. */
  readonly #incoming = new LinkedSet<IncomingMessage>()

  constructor(outlet: Outlet, handler: MessageHandler, options: SessionOptions = {}) {
    this.#outlet = outlet
    this.#handler = handler
    this.#id = options.id
    this.kind = options.kind ?? 'upstream'
    this.parent = options.parent
    this.principal = options.principal ?? localPrincipal
    this.clock = options.clock ?? systemClock
    this.deadlines = deadlinesOf(this.clock)
    this.timeouts = options.timeouts ? { ...defaultTimeouts, ...options.timeouts } : defaultTimeouts
    this.memory = options.memory
    this.#onError = options.onError
    this.#nextId = requestIdsOf(this.clock)
    this.parent?.ending.listen(this)
  }

  get id(): string {
    this.#id ??= crypto.randomUUID()
    return this.#id
  }

  get root(): Session {
    return this.parent?.root ?? this
  }

  get peer(): Peer | undefined {
    return this.#peer
  }

  get closed(): AbortSignal {
    return this.ending.signal
  }

  /** How many of the peer's requests are being answered. */
  get answering(): number {
    return this.#incoming.size
  }

  /** Whether a request of ours with this id still waits for its answer. */
  awaits(id: RequestId): boolean {
    return this.#pending?.has(id) ?? false
  }

  /** Sets who is at the other end, after a handshake that was not made through this object. */
  adopt(peer: Peer): void {
    this.#peer = peer
    this.#origin = undefined
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    return this.requestVia(undefined, method, params, options)
  }

  requestVia(
    outlet: Outlet | undefined,
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<JsonObject> {
    if (this.ending.cancelled) return Promise.reject(this.#closedError(options.label ?? method))
    const cancelled = errorIfCancelled(method, options)
    if (cancelled) return Promise.reject(cancelled)
    const id = this.#nextId()
    const pending = new SentRequest(this, id, method, options, outlet)
    this.#pending ??= new Map()
    this.#pending.set(id, pending)
    options.onPending?.(pending)
    const message = { jsonrpc: '2.0' as const, id, method, params: withMeta(params, id, options) }
    this.#deliver(outlet, message, options.relatedTo, (error) => {
      if (this.#pending?.delete(id)) pending.reject(explainFailure(pending, error))
    })
    pending.arm()
    return pending.promise
  }

  notify(
    method: string,
    params?: JsonObject,
    options?: { relatedTo?: RequestId | undefined },
  ): void {
    this.notifyVia(undefined, method, params, options?.relatedTo)
  }

  notifyVia(
    outlet: Outlet | undefined,
    method: string,
    params: JsonObject | undefined,
    relatedTo: RequestId | undefined,
  ): void {
    if (this.ending.cancelled) return
    const message: NotificationMessage =
      params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }
    this.#deliver(outlet, message, relatedTo, (error) => this.#report(error))
  }

  /** Takes one message of the peer. Never throws: what goes wrong is answered or reported. */
  receive(message: Message, source?: MessageSource): void {
    if (this.ending.cancelled) source?.outlet?.abandon?.()
    else if (isResponse(message)) this.#onResponse(message, source)
    else if ('id' in message) this.#onRequest(message, source)
    else this.#onNotification(message, source)
  }

  onAbandon(pending: SentRequest, reason: string): void {
    const { id, method, outlet, relatedTo } = pending
    this.#pending?.delete(id)
    // MCP 2025-11-25: initialize is never cancelled.
    if (method === 'initialize') return
    this.notifyVia(outlet, 'notifications/cancelled', { requestId: id, reason }, relatedTo)
    // What the peer asked on its behalf is void too, even where its own word of it gets lost.
    for (const incoming of this.#incoming) {
      if (incoming.relatedTo === id) this.#attempt(() => incoming.cancellation.cancel(reason))
    }
  }

  /** What it stands on has ended: the session that it hangs off, or what carries its messages. */
  onCancel(reason: unknown): void {
    this.close(String(reason)).catch((error: unknown) => this.#report(error))
  }

  beginCall(): CallInfo {
    this.#origin ??= originOf(this.#peer)
    return { id: createCallId(), origin: this.#origin, depth: 0 }
  }

  async close(reason = 'the session was closed'): Promise<void> {
    if (this.ending.cancelled) return
    this.parent?.ending.unlisten(this)
    this.#attempt(() => this.ending.cancel(reason))
    for (const pending of this.#pending?.values() ?? []) {
      pending.reject(this.#closedError(pending.label))
    }
    for (const incoming of [...this.#incoming]) this.#abort(incoming, reason)
    this.#pending = undefined
    this.#incoming.clear()
  }

  #onRequest(message: RequestMessage, source: MessageSource | undefined): void {
    const { id, method } = message
    if (method === 'ping') {
      this.#answer({ jsonrpc: '2.0', id, result: {} }, source)
      return
    }
    if (!source?.outlet && this.#find(id)) {
      const error = new ProtocolError('INVALID_REQUEST', `Request id ${id} is already in flight`)
      this.#answer({ jsonrpc: '2.0', id, error: toErrorObject(error) }, source)
      return
    }
    const incoming = new IncomingMessage(this, source, message)
    this.#incoming.add(incoming)
    if (method === 'initialize') {
      this.#peer = peerFromInitialize(message.params)
      this.#origin = undefined
    }
    let result: unknown
    try {
      result = this.#handler.onMessage(message, incoming)
    } catch (error) {
      this.#fail(incoming, id, error)
      return
    }
    if (isThenable(result)) {
      result.then(
        (value) => this.#succeed(incoming, id, method, value),
        (error: unknown) => this.#fail(incoming, id, error),
      )
    } else this.#succeed(incoming, id, method, result)
  }

  #onNotification(message: NotificationMessage, source: MessageSource | undefined): void {
    const { method, params } = message
    this.#attempt(() => {
      if (method === 'notifications/cancelled') this.#onCancelled(params)
      else if (method === 'notifications/progress') this.#onProgress(params)
      else return this.#handler.onMessage(message, new IncomingMessage(this, source, message))
      return undefined
    })
  }

  #onResponse(message: ResponseMessage, source: MessageSource | undefined): void {
    const { id } = message
    const pending = id === undefined || id === null ? undefined : this.#pending?.get(id)
    if (!pending) {
      this.#report(new Error(`Dropped an answer that nobody waits for (id ${String(id)})`))
      return
    }
    this.#pending?.delete(pending.id)
    if ('result' in message) pending.resolve(message.result)
    else if (source?.failure) pending.reject(explainFailure(pending, message.error))
    else pending.reject(new ProtocolError(message.error))
  }

  #onCancelled(params: JsonObject | undefined): void {
    const id = params?.requestId as RequestId
    const incoming = this.#find(id)
    // Some clients cancel initialize all the same (typescript-sdk#2668).
    if (!incoming || incoming.method === 'initialize') return
    this.#incoming.delete(incoming)
    this.#abort(incoming, params?.reason ?? 'cancelled by the sender')
  }

  /** Every token is the id of a request of ours: one that is not came late, and is nobody's business. */
  #onProgress(params: JsonObject | undefined): void {
    const { progressToken, ...progress } = params ?? {}
    const pending = this.#pending?.get(progressToken as RequestId)
    if (!pending || typeof progress.progress !== 'number') return
    pending.progress({ ...progress, progress: progress.progress })
  }

  #abort(incoming: IncomingMessage, reason: unknown): void {
    this.#attempt(() => incoming.cancel(reason))
    this.#attempt(() => incoming.source?.outlet?.abandon?.())
  }

  #succeed(incoming: IncomingMessage, id: RequestId, method: string, value: unknown): void {
    if (incoming.done) return
    this.#finish(incoming)
    const result = isObject(value) ? value : {}
    if (method === 'initialize' && this.#peer) {
      const version = result.protocolVersion
      if (typeof version === 'string') this.#peer = { ...this.#peer, protocolVersion: version }
    }
    this.#answer({ jsonrpc: '2.0', id, result }, incoming.source)
  }

  #fail(incoming: IncomingMessage, id: RequestId, error: unknown): void {
    if (incoming.done) return
    this.#finish(incoming)
    const answer = toErrorObject(error)
    if (!isProtocolError(error)) this.#report(error)
    this.#answer({ jsonrpc: '2.0', id, error: answer }, incoming.source)
  }

  #finish(incoming: IncomingMessage): void {
    incoming.finish()
    this.#incoming.delete(incoming)
  }

  /** The request in flight with this id; the newest, where a careless client sent two. */
  #find(id: RequestId): IncomingMessage | undefined {
    let incoming = this.#incoming.first
    while (incoming && incoming.id !== id) incoming = incoming.next
    return incoming
  }

  #answer(message: ResponseMessage, source: MessageSource | undefined): void {
    const outlet = source?.outlet
    try {
      // An exchange of its own knows what it answers; a wire with a stream for each request is told.
      const sent = outlet
        ? outlet.send(message)
        : this.#outlet.send(message, { relatedRequestId: message.id })
      if (isThenable(sent)) {
        sent.then(undefined, (error: unknown) => this.#onUnanswered(message, source, error))
      }
    } catch (error) {
      this.#onUnanswered(message, source, error)
    }
  }

  /** What JSON cannot hold is answered all the same, or its sender would wait for nothing. */
  #onUnanswered(message: ResponseMessage, source: MessageSource | undefined, error: unknown): void {
    this.#report(error)
    const plain = 'error' in message && message.error.data === undefined
    if (plain || !(error instanceof TypeError)) return
    this.#answer({ jsonrpc: '2.0', id: message.id, error: toErrorObject(error) }, source)
  }

  /** Runs what must not stop the rest. */
  #attempt(work: () => unknown): void {
    try {
      const result = work()
      if (isThenable(result)) result.then(undefined, (error: unknown) => this.#report(error))
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    this.#onError?.(error instanceof Error ? error : new Error(String(error)))
  }

  #deliver(
    outlet: Outlet | undefined,
    message: Message,
    relatedTo: RequestId | undefined,
    onFailure: (error: unknown) => void,
  ): void {
    const related = relatedTo === undefined ? undefined : this.#find(relatedTo)
    try {
      const sent = (outlet ?? related?.source?.outlet ?? this.#outlet).send(
        message,
        relatedTo === undefined ? undefined : { relatedRequestId: relatedTo },
      )
      if (isThenable(sent)) sent.then(undefined, onFailure)
    } catch (error) {
      onFailure(error)
    }
  }

  #closedError(label: string): ProtocolError {
    const reason = this.ending.cancelled ? `: ${String(this.ending.reason)}` : ''
    return new ProtocolError('CONNECTION_CLOSED', `${label}: connection closed${reason}`)
  }
}

function originOf(peer: Peer | undefined): Origin {
  const name = peer?.info.name
  return typeof name === 'string' ? { kind: 'client', name } : { kind: 'client' }
}
