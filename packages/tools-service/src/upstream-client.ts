import {
  checkClientCapability,
  type JsonObject,
  type ListKind,
  type MessageContext,
  type MessageHandler,
  type NotificationMessage,
  ProtocolError,
  type RequestMessage,
} from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import type { Connection } from './connection.ts'
import type { Root } from './root.ts'

/** Collects changes of a list that come in bursts. */
export interface ChangeListener {
  onListChanged(connection: Connection, kinds: readonly ListKind[]): void
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
  readonly #server: string
  readonly #listener: ChangeListener
  /** The one root session that the connection is for; none for a shared one. */
  readonly #root: Root | undefined

  constructor(server: string, listener: ChangeListener, root: Root | undefined) {
    this.#server = server
    this.#listener = listener
    this.#root = root
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
    const root = this.#root
    if (!root) throw refusal(method, this.#server)
    const call = this.connection?.callFor(context.relatedTo)
    if (call) return await call.ask(method, params, context.signal)
    // Several calls are in flight, or none: the root session is asked, and every one of them waits.
    checkClientCapability(method, params, root.session.peer)
    const calls = [...(this.connection?.calls ?? [])]
    const releases = calls.map(({ pending }) => pending?.hold())
    try {
      return await root.session.request(method, params, { signal: context.signal, timeouts })
    } finally {
      for (const release of releases) release?.()
      for (const { pending } of calls) pending?.touch()
    }
  }

  #onNotification(method: string, params: JsonObject | undefined, context: MessageContext): void {
    const { connection } = this
    const kinds = changes.get(method)
    if (kinds) {
      // Before it is ready nothing was read that could have changed.
      if (connection) this.#listener.onListChanged(connection, kinds)
      return
    }
    if (method === 'notifications/message') {
      this.#onLog(params, connection?.callFor(context.relatedTo))
      return
    }
    for (const root of this.#roots()) {
      if (method === 'notifications/resources/updated') {
        root.listener?.onResourceUpdated(root, this.#server, params ?? {})
      } else root.listener?.onNotification(root, this.#server, method, params)
    }
  }

  #onLog(params: JsonObject | undefined, call: Call | undefined): void {
    const method = 'notifications/message'
    // Nobody knows whose call it is about, so it is shown to nobody else's client.
    if (!call && this.connection?.server.sharing === 'process') return
    for (const root of this.#roots()) {
      if (call && call.root !== root.session) continue
      // The server of a shared connection has one level for all.
      if (!(this.#root || root.hears(params))) continue
      if (call) call.notify(method, params)
      else root.listener?.onNotification(root, this.#server, method, params)
    }
  }

  #roots(): Iterable<Root> {
    return this.#root ? [this.#root] : (this.connection?.roots ?? [])
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
