import type { HookTrace } from '@mobius-mcp/hooks'
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
import { AskedContext } from './asked-context.ts'
import type { Configuration } from './configuration.ts'
import type { Connection } from './connection.ts'
import type { HookCause } from './hook-cause.ts'
import type { HookedMessages } from './hooked-messages.ts'
import { hopsKey } from './hops.ts'
import type { CallView } from './options.ts'
import type { Order } from './order.ts'
import type { Server } from './server.ts'

/** What a server asks a model by. */
export const samplingMethod = 'sampling/createMessage'

/** What a call needs of the service that carries it out. */
export interface CallHost {
  /** Opaque, and another one in each process: how a gateway knows itself again. */
  readonly instance: string
  /** What calls begin with that have no other yet. */
  readonly configuration: Configuration
  readonly messages: HookedMessages
  /** What keeps messages of a root session to one server in order. */
  outboundOf(call: Call): Order
  callerFor(context: MessageContext): Caller
}

/** A call's place in the tree, the gateways that it came through, and the configuration that it goes by. */
export interface CallNode extends CallInfo {
  readonly hops?: readonly string[] | undefined
  readonly configuration?: Configuration | undefined
  /** Of the one call below it, where somebody else measures the same. */
  readonly times?: CallTiming | undefined
}

/** When a call began, for whoever makes it, and when it ended, for whoever waits: reading the clock costs more than either. */
export interface CallTiming {
  readonly startedAt: number
  endedAt: number | undefined
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
export class Call implements CallView, CallScope, RequestOptions, HookCause, Linked<Call> {
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
  readonly configuration: Configuration
  /** As the hooks left them. */
  params: JsonObject
  rule: string | undefined = undefined
  /** What hooks did. */
  trace: readonly HookTrace[] | undefined = undefined
  /** Whether it got past hooks, rules and people. */
  sent = false
  startedAt = 0
  /** Who wants to know when it has ended. */
  timing: CallTiming | undefined = undefined
  timeouts: Partial<Timeouts> | undefined = undefined
  connection: Connection | undefined = undefined
  /** The server that it waits to reach, and that waits for it. */
  held: Server | undefined = undefined
  pending: PendingRequest | undefined = undefined
  previous: Call | undefined = undefined
  next: Call | undefined = undefined
  readonly #host: CallHost
  readonly #options: CallOptions | undefined

  constructor(host: CallHost, cause: MessageContext, start: CallStart, options?: CallOptions) {
    this.#host = host
    this.#options = options
    this.cause = cause
    const node: CallNode = cause.call
    // What a call calls goes by the same: a turn ends with what it began with.
    this.configuration = node.configuration ?? host.configuration
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

  get step(): string | undefined {
    return this.#options?.step
  }

  /** Tells whoever made it that it is about to be sent; a promise where that takes a while. */
  tellSending(): void | Promise<void> {
    this.sent = true
    return this.#options?.onSend?.()
  }

  get meta(): JsonObject {
    return { [hopsKey]: [...this.hops, this.#host.instance] }
  }

  /** It has not reached its server at once: the server is to wait for it. */
  hold(): void {
    this.held = this.configuration.server(this.server)
    this.held?.holds.take()
  }

  /** It has reached its server, or never will. */
  letGo(): void {
    const { held } = this
    this.held = undefined
    held?.holds.release()
  }

  /** Takes the limits of the server; the caller's own go before them. */
  limit(timeouts: Partial<Timeouts> | undefined): void {
    const own = this.#options?.timeouts
    this.timeouts = own ? { ...timeouts, ...own } : timeouts
  }

  addTrace(trace: readonly HookTrace[]): void {
    this.trace = this.trace ? [...this.trace, ...trace] : trace
  }

  onProgress(progress: Progress): void {
    if (!this.configuration.hooked) {
      this.#report(progress)
      return
    }
    this.#tell('notifications/progress', progress, (params) => {
      const told = params?.progress
      if (typeof told === 'number') this.#report({ ...params, progress: told })
    })
  }

  onPending(pending: PendingRequest): void {
    this.pending = pending
  }

  callerFor(context: MessageContext): Caller {
    return this.#host.callerFor(context)
  }

  notify(method: string, params?: JsonObject): void {
    this.pending?.touch()
    if (!this.configuration.hooked) this.cause.notify(method, params)
    else this.#tell(method, params, (hooked) => this.cause.notify(method, hooked))
  }

  /** Asks up the tree; the timers of this call stand still until there is an answer. */
  async ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const release = this.pending?.hold()
    try {
      return await this.#ask(method, params, signal)
    } finally {
      release?.()
      this.pending?.touch()
    }
  }

  #ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    const answer = (asked: JsonObject) => this.#answer(method, asked, signal)
    if (!this.configuration.hooked) return answer(params)
    const { messages } = this.#host
    const passage = {
      cause: this,
      server: this.server,
      order: this.connection?.inbound,
      answers: this.#host.outboundOf(this),
    }
    return messages.ask(passage, method, params, answer)
  }

  /** Whoever the call belongs to answers, unless there is a model here for those who ask one. */
  #answer(
    method: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject> {
    const { sample } = this.configuration
    const isForClient = this.connection?.server.asksClient
    if (!sample || isForClient || method !== samplingMethod) {
      return this.cause.ask(method, params, signal)
    }
    const { caller } = new AskedContext({
      cause: this,
      session: this.cause.session,
      cancellation: this.cancellation,
      callerFor: (context) => this.#host.callerFor(context),
    })
    return sample({ server: this.server, params, caller, signal })
  }

  #report(progress: Progress): void {
    if (this.#options) this.#options.onProgress?.(progress)
    else this.cause.progress(progress)
  }

  #tell(
    method: string,
    params: JsonObject | undefined,
    deliver: (params: JsonObject | undefined) => void,
  ): void {
    const passage = { cause: this, server: this.server, order: this.connection?.inbound }
    this.#host.messages.tell(passage, method, params, deliver)
  }
}
