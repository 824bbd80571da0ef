import type {
  Caller,
  CallInfo,
  CallOptions,
  CallScope,
  Cancellation,
  JsonObject,
  Linked,
  MessageContext,
  Origin,
  PendingRequest,
  Principal,
  Progress,
  RequestOptions,
  Session,
  Timeouts,
} from '@mobius-mcp/protocol'
import type { Connection } from './connection.ts'
import { hopsKey } from './hops.ts'
import type { CallView } from './options.ts'

/** What a call needs of the service that carries it out. */
export interface CallHost {
  /** Opaque, and another one in each process: how a gateway knows itself again. */
  readonly instance: string
  callerFor(context: MessageContext): Caller
}

/** A call's place in the tree, and the gateways that it came through. */
export interface CallNode extends CallInfo {
  readonly hops?: readonly string[] | undefined
}

export interface CallStart {
  readonly id: string
  readonly parent: string | undefined
  readonly origin: Origin
  readonly depth: number
  readonly hops: readonly string[]
  readonly server: string
  readonly method: string
  readonly name: string
  readonly params: JsonObject
}

/**
 * One use of one capability: a node in the tree of calls. It is at once what rules and observers
 * see, what the session needs to send the request, and what a handler in this process gets as its
 * context, so that a call costs one object.
 */
export class Call implements CallView, CallScope, RequestOptions, Linked<Call> {
  readonly id: string
  readonly parent: string | undefined
  readonly origin: Origin
  readonly depth: number
  readonly hops: readonly string[]
  readonly server: string
  readonly method: string
  readonly name: string
  readonly root: Session
  readonly cause: MessageContext
  /** As the hooks left them. */
  params: JsonObject
  rule: string | undefined = undefined
  startedAt = 0
  timeouts: Partial<Timeouts> | undefined = undefined
  connection: Connection | undefined = undefined
  pending: PendingRequest | undefined = undefined
  previous: Call | undefined = undefined
  next: Call | undefined = undefined
  readonly #host: CallHost
  readonly #options: CallOptions | undefined

  constructor(host: CallHost, cause: MessageContext, start: CallStart, options?: CallOptions) {
    this.#host = host
    this.#options = options
    this.cause = cause
    this.root = cause.session.root
    this.id = start.id
    this.parent = start.parent
    this.origin = start.origin
    this.depth = start.depth
    this.hops = start.hops
    this.server = start.server
    this.method = start.method
    this.name = start.name
    this.params = start.params
  }

  get principal(): Principal {
    return this.cause.principal
  }

  get call(): CallInfo {
    return this
  }

  get scope(): CallScope {
    return this
  }

  get cancellation(): Cancellation {
    return this.cause.cancellation
  }

  get signal(): AbortSignal | undefined {
    return this.#options?.signal
  }

  get label(): string {
    return this.name === '' ? `${this.server} ${this.method}` : `${this.server}/${this.name}`
  }

  get meta(): JsonObject {
    return { [hopsKey]: [...this.hops, this.#host.instance] }
  }

  /** Takes the limits of the server; the caller's own go before them. */
  limit(timeouts: Partial<Timeouts> | undefined): void {
    const own = this.#options?.timeouts
    this.timeouts = own ? { ...timeouts, ...own } : timeouts
  }

  onProgress(progress: Progress): void {
    if (this.#options) this.#options.onProgress?.(progress)
    else this.cause.progress(progress)
  }

  onPending(pending: PendingRequest): void {
    this.pending = pending
  }

  callerFor(context: MessageContext): Caller {
    return this.#host.callerFor(context)
  }

  notify(method: string, params?: JsonObject): void {
    this.pending?.touch()
    this.cause.notify(method, params)
  }

  /** Asks up the tree; the timers of this call stand still until there is an answer. */
  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const release = this.pending?.hold()
    try {
      return await this.cause.ask(method, params, signal)
    } finally {
      release?.()
      this.pending?.touch()
    }
  }
}
