import type { Caller, CallInfo, Principal, Progress } from './call.ts'
import { Cancellation } from './cancellation.ts'
import { checkClientCapability } from './client-capabilities.ts'
import { ProtocolError } from './errors.ts'
import type { Linked } from './linked-set.ts'
import type {
  JsonObject,
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
} from './message.ts'
import { isObject } from './parse-message.ts'
import { noTimeouts } from './pending.ts'
import { refusingCaller } from './refusing-caller.ts'
import type { MessageContext, RequestOptions, Session } from './session.ts'
import type { WireSendOptions } from './wire.ts'

/** Where messages go. A wire is one; so is one HTTP exchange. */
export interface Outlet {
  send(message: Message, options?: WireSendOptions): unknown
  /** The request that came through here was cancelled: no answer will follow. */
  abandon?(): void
}

/** What an edge knows about a message that it hands to its session. */
export interface MessageSource {
  /** Where what belongs to the message goes; by default where everything goes. */
  readonly outlet?: Outlet | undefined
  readonly principal?: Principal | undefined
  /** Our own request on whose stream the message came. */
  readonly relatedTo?: RequestId | undefined
  /** The wire itself made this error answer: the other end never gave one. */
  readonly failure?: boolean | undefined
}

/** What an incoming message needs of its session. */
export interface IncomingOwner extends Session {
  readonly principal: Principal
  /** The call that a message from the peer begins. */
  beginCall(): CallInfo
  requestVia(
    outlet: Outlet | undefined,
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<JsonObject>
  notifyVia(
    outlet: Outlet | undefined,
    method: string,
    params: JsonObject | undefined,
    relatedTo: RequestId | undefined,
  ): void
}

/** The context of a message that came over a wire. */
export class IncomingMessage implements MessageContext, Linked<IncomingMessage> {
  readonly session: IncomingOwner
  readonly source: MessageSource | undefined
  /** The message's id; `undefined` for a notification. */
  readonly id: RequestId | undefined
  readonly method: string
  previous: IncomingMessage | undefined = undefined
  next: IncomingMessage | undefined = undefined
  done = false
  readonly #progressToken: RequestId | undefined
  #cancellation: Cancellation | undefined
  /** What was asked on behalf of the message: void when the message is answered. */
  #questions: Cancellation | undefined
  #call: CallInfo | undefined

  constructor(
    session: IncomingOwner,
    source: MessageSource | undefined,
    message: RequestMessage | NotificationMessage,
  ) {
    this.session = session
    this.source = source
    this.id = 'id' in message ? message.id : undefined
    this.method = message.method
    this.#progressToken = progressTokenOf(message.params)
  }

  get principal(): Principal {
    return this.source?.principal ?? this.session.principal
  }

  get relatedTo(): RequestId | undefined {
    return this.source?.relatedTo
  }

  get call(): CallInfo {
    this.#call ??= this.session.beginCall()
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
    return refusingCaller
  }

  /** It is being answered; nothing more is said about it. */
  finish(): void {
    this.done = true
    this.#questions?.cancel('the call has ended')
  }

  /** Cancels the work; nothing is said about it any more. */
  cancel(reason: unknown): void {
    if (this.done) return
    this.done = true
    this.#questions?.cancel(reason)
    this.cancellation.cancel(reason)
  }

  progress(progress: Progress): void {
    if (this.#progressToken === undefined || this.done) return
    this.notify('notifications/progress', { ...progress, progressToken: this.#progressToken })
  }

  notify(method: string, params?: JsonObject): void {
    if (!this.done) this.session.notifyVia(this.source?.outlet, method, params, this.id)
  }

  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    if (this.done) {
      throw new ProtocolError('REQUEST_CANCELLED', `${method} was not asked: the call has ended`)
    }
    checkClientCapability(method, params, this.session.peer)
    this.#questions ??= new Cancellation()
    return await this.session.requestVia(this.source?.outlet, method, params, {
      cancellation: this.#questions,
      signal,
      relatedTo: this.id,
      timeouts: noTimeouts,
    })
  }
}

function progressTokenOf(params: JsonObject | undefined): RequestId | undefined {
  const meta = params?._meta
  if (!isObject(meta)) return undefined
  const token = meta.progressToken
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}
