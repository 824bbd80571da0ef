import {
  checkClientCapability,
  createCallId,
  type JsonObject,
  type ListKind,
  type MessageContext,
  type MessageHandler,
  type NotificationMessage,
  ProtocolError,
  type RequestMessage,
} from '@mobius-mcp/protocol'
import type { AsideHost } from './aside.ts'
import { AskedContext } from './asked-context.ts'
import { type Call, samplingMethod } from './call.ts'
import type { Connection } from './connection.ts'
import type { HookCause } from './hook-cause.ts'
import { noHops } from './hops.ts'
import type { Order } from './order.ts'
import type { Root } from './root.ts'

/** Collects changes of a list that come in bursts. */
export interface ChangeListener {
  onListChanged(connection: Connection, kinds: readonly ListKind[]): void
}

export interface UpstreamClientOptions {
  readonly host: AsideHost
  readonly changes: ChangeListener
  readonly server: string
  /** The one root session that the connection is for; none for a shared one. */
  readonly root: Root | undefined
  /** What the connection is opened for. */
  readonly cause: HookCause
  /** What keeps the server's messages in order. */
  readonly inbound: Order
}

const changes = new Map<string, readonly ListKind[]>([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
])

/**
 * The client that a server sees. What the server asks goes up the tree of calls to whoever the call
 * belongs to; what it says goes along with the call, or to every root session of the connection.
 */
export class UpstreamClient implements MessageHandler {
  connection: Connection | undefined = undefined
  readonly #options: UpstreamClientOptions

  constructor(options: UpstreamClientOptions) {
    this.#options = options
  }

  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    const { method, params } = message
    if ('id' in message) return this.#onRequest(method, params ?? {}, context)
    this.#onNotification(method, params, context)
    return undefined
  }

  async #onRequest(
    method: string,
    params: JsonObject,
    context: MessageContext,
  ): Promise<JsonObject> {
    const { root, server } = this.#options
    if (!root) throw refusal(method, server)
    const call = this.connection?.callFor(context.relatedTo)
    if (call) return await call.ask(method, params, context.signal)
    // Several calls are in flight, or none: the root session is asked, and every one of them waits.
    const isOurs =
      method === samplingMethod && this.#options.host.configuration.sample !== undefined
    if (!isOurs) checkClientCapability(method, params, root.session.peer)
    const calls = [...(this.connection?.calls ?? [])]
    const releases = calls.map(({ pending }) => pending?.hold())
    try {
      return await this.#ask(root, method, params, context)
    } finally {
      for (const release of releases) release?.()
      for (const { pending } of calls) pending?.touch()
    }
  }

  #ask(
    root: Root,
    method: string,
    params: JsonObject,
    { signal, cancellation }: MessageContext,
  ): Promise<JsonObject> {
    const { host, server, inbound: order } = this.#options
    const { configuration, messages } = host
    const { sample } = configuration
    const send = (hooked: JsonObject) => {
      if (!sample || method !== samplingMethod) {
        return root.session.request(method, hooked, { signal, timeouts })
      }
      const cause = this.#cause(cancellation)
      const { caller } = new AskedContext({
        ...{ cause, cancellation, session: root.session },
        callerFor: (context) => host.callerFor(context),
      })
      return sample({ server, params: hooked, caller, signal })
    }
    if (!configuration.hooked) return send(params)
    const answers = root.outbound(server)
    const passage = { cause: this.#cause(cancellation), server, order, answers }
    return messages.ask(passage, method, params, send)
  }

  #onNotification(method: string, params: JsonObject | undefined, context: MessageContext): void {
    const { host, server, inbound: order } = this.#options
    const { configuration, messages } = host
    const call =
      method === 'notifications/message' ? this.connection?.callFor(context.relatedTo) : undefined
    // What goes along with a call is shown to hooks there.
    if (call || !configuration.hooked) this.#deliver(method, params, call)
    else {
      messages.tell({ cause: this.#cause(), server, order }, method, params, (hooked) =>
        this.#deliver(method, hooked, undefined),
      )
    }
  }

  #deliver(method: string, params: JsonObject | undefined, call: Call | undefined): void {
    const { connection } = this
    const { server, changes: listener } = this.#options
    const kinds = changes.get(method)
    if (kinds) {
      // Before it is ready nothing was read that could have changed.
      if (connection) listener.onListChanged(connection, kinds)
      return
    }
    if (method === 'notifications/message') {
      this.#onLog(params, call)
      return
    }
    for (const root of this.#roots()) {
      if (method === 'notifications/resources/updated') {
        root.listener?.onResourceUpdated(root, server, params ?? {})
      } else root.listener?.onNotification(root, server, method, params)
    }
  }

  #onLog(params: JsonObject | undefined, call: Call | undefined): void {
    const method = 'notifications/message'
    const { root: only, server } = this.#options
    // Nobody knows whose call it is about, so it is shown to nobody else's client.
    if (!call && this.connection?.server.sharing === 'process') return
    for (const root of this.#roots()) {
      if (call && call.root !== root.session) continue
      // The server of a shared connection has one level for all.
      if (!(only || root.hears(params))) continue
      if (call) call.notify(method, params)
      else root.listener?.onNotification(root, server, method, params)
    }
  }

  #roots(): Iterable<Root> {
    const { root } = this.#options
    return root ? [root] : (this.connection?.roots ?? [])
  }

  /** What the server says of its own accord goes by the present configuration. */
  #cause(cancellation?: HookCause['cancellation']): HookCause {
    const { host, cause, root } = this.#options
    const { configuration } = host
    const origin = this.connection?.origin ?? cause.origin
    const principal = root?.principal ?? cause.principal
    return {
      configuration,
      id: createCallId(),
      origin,
      depth: 0,
      hops: noHops,
      principal,
      cancellation,
    }
  }
}

/** A person may take all day to answer. */
const timeouts = {
  request: Number.POSITIVE_INFINITY,
  idle: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
}

function refusal(method: string, server: string): ProtocolError {
  return new ProtocolError(
    'METHOD_NOT_FOUND',
    `Method not found: ${method}. The connection to "${server}" is not tied to one client that could answer.`,
  )
}
