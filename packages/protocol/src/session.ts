import type { Caller, CallInfo, Principal, Progress, Timeouts } from './call.ts'
import type { Cancellation } from './cancellation.ts'
import type { JsonObject, NotificationMessage, RequestId, RequestMessage } from './message.ts'

/** Implementing this is all it takes to be a server. */
export interface MessageHandler {
  /**
   * Answers a request: returns its result, or a promise of it, and throws its error. What a
   * notification returns is ignored.
   */
  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown
}

/** What a call carries down to whoever answers it: in process by reference, over a wire not at all. */
export interface CallScope {
  readonly principal: Principal
  readonly call: CallInfo
  /** A `Caller` whose calls are children of this call, made while `context`'s message is answered. */
  callerFor(context: MessageContext): Caller
  /** Says something about the call to whoever made it, before the answer, e.g. `notifications/message`. */
  notify(method: string, params?: JsonObject): void
  /**
   * Asks whoever the call belongs to: `elicitation/create`, `sampling/createMessage`, `roots/list`.
   * Refused at once where that client cannot answer. Aborting the signal makes the question void.
   */
  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject>
}

/**
 * What comes with one message, never with a connection. An object with getters: pass it on, never
 * spread it or take it apart.
 */
export interface MessageContext extends Omit<CallScope, 'callerFor'> {
  /** The end of the conversation on which the message arrived. */
  readonly session: Session
  /** Aborted when the sender takes the message back or goes away. Made when first read. */
  readonly signal: AbortSignal
  /** The same without an `AbortSignal`'s price. */
  readonly cancellation: Cancellation
  /** Bound to this call: what it calls is a child of this call. Refuses where no Caller was given. */
  readonly caller: Caller
  /** Our own request on whose stream the message came, where the wire tells. */
  readonly relatedTo?: RequestId | undefined
  /** Reports progress to the sender, if it asked for any. */
  progress(progress: Progress): void
}

/** What kind of conversation a session is. All but `upstream` can be a root. */
export type SessionKind = 'client' | 'thread' | 'headless' | 'upstream'

/** Who is at the other end, as it said in `initialize`. */
export interface Peer {
  readonly protocolVersion: string
  readonly capabilities: JsonObject
  /** `clientInfo` or `serverInfo`: `name`, `version`, perhaps more. */
  readonly info: JsonObject
  /** A server's instructions. */
  readonly instructions?: string | undefined
  /** A server's whole initialize result, as it came. */
  readonly result?: JsonObject | undefined
}

/** What accompanies a request that one end sends to the other. */
export interface RequestOptions {
  /** The call that the request carries out, for a handler in this process. */
  readonly scope?: CallScope | undefined
  readonly signal?: AbortSignal | undefined
  readonly cancellation?: Cancellation | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Names what is being waited for in a timeout's message, e.g. `github/search`. */
  readonly label?: string | undefined
  /** Added to the request's `_meta` where it leaves this process. */
  readonly meta?: JsonObject | undefined
  /** The incoming request on whose stream this one travels. */
  readonly relatedTo?: RequestId | undefined
  onProgress?(progress: Progress): void
  /** Handed the request's own entry, so that its timers can be stopped while a question is open. */
  onPending?(pending: PendingRequest): void
}

/** A request that waits for its answer. */
export interface PendingRequest {
  readonly id: RequestId
  /** Stops its timers until the returned function is called, once. May be nested. */
  hold(): () => void
  /** A sign of life: starts the idle timer anew. */
  touch(): void
}

/** What handlers want to find again when a session goes on in another process. */
export interface SessionMemory {
  /** What was last remembered under a name, in this process or an earlier one. */
  recall(name: string): unknown
  /** Keeps JSON: small, and seldom changed. */
  remember(name: string, value: unknown): void
}

/** One end of a conversation: correlates, cancels, reports progress. */
export interface Session {
  readonly id: string
  readonly kind: SessionKind
  readonly parent: Session | undefined
  /** The session that the conversation is for: the outermost parent, or itself. */
  readonly root: Session
  /** Known after initialize. */
  readonly peer: Peer | undefined
  /** Aborted when the session has ended. Made when first read. */
  readonly closed: AbortSignal
  /** The same without an `AbortSignal`'s price; its reason says why the session ended. */
  readonly ending: Cancellation
  /** Absent where the session ends with its process. A root session has it. */
  readonly memory?: SessionMemory | undefined
  /**
   * Sends a request and waits for its result.
   *
   * @throws ProtocolError what the other end answered (`REMOTE`), `REQUEST_TIMEOUT`,
   * `REQUEST_CANCELLED` or `CONNECTION_CLOSED`.
   */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>
  /**
   * The same, where the other end is in this process: a result that is there at once is returned
   * as it is. Never throws.
   */
  requestNow?(
    method: string,
    params: JsonObject,
    options?: RequestOptions,
  ): JsonObject | Promise<JsonObject>
  notify(method: string, params?: JsonObject, options?: { relatedTo?: RequestId | undefined }): void
  /** Ends the conversation, and what hangs off it. May be called again. */
  close(reason?: string): Promise<void>
}
