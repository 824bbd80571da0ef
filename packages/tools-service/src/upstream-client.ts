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
import type { Connection } from './connection.ts'

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

  constructor(server: string, listener: ChangeListener) {
    this.#server = server
    this.#listener = listener
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
    const { connection } = this
    if (connection?.server.sharing !== 'session') throw refusal(method, this.#server)
    const call = connection.callFor(context.relatedTo)
    if (call) return await call.ask(method, params, context.signal)
    // Several calls are in flight, or none: the root session is asked, and every one of them waits.
    const [root] = connection.roots
    if (!root) throw refusal(method, this.#server)
    checkClientCapability(method, params, root.session.peer)
    const releases = [...connection.calls].map((each) => each.pending?.hold())
    try {
      return await root.session.request(method, params, { signal: context.signal })
    } finally {
      for (const release of releases) release?.()
    }
  }

  #onNotification(method: string, params: JsonObject | undefined, context: MessageContext): void {
    const { connection } = this
    if (!connection) return
    const kinds = changes.get(method)
    if (kinds) {
      this.#listener.onListChanged(connection, kinds)
      return
    }
    if (method === 'notifications/message') {
      const call = connection.callFor(context.relatedTo)
      if (call) {
        call.notify(method, params)
        return
      }
      // Nobody knows whose call it is about, so it is shown to nobody else's client.
      if (connection.server.sharing === 'process') return
    }
    for (const root of connection.roots) {
      if (method === 'notifications/resources/updated') {
        root.listener?.onResourceUpdated(root, this.#server, params ?? {})
      } else root.listener?.onNotification(root, this.#server, method, params)
    }
  }
}

function refusal(method: string, server: string): ProtocolError {
  return new ProtocolError(
    'METHOD_NOT_FOUND',
    `Method not found: ${method}. The connection to "${server}" is not tied to one client that could answer.`,
  )
}
