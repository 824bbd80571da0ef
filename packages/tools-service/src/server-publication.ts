import {
  type JsonObject,
  type ListKind,
  type MessageContext,
  type MessageHandler,
  type NotificationMessage,
  negotiateVersion,
  ProtocolError,
  type RequestMessage,
} from '@mobius-mcp/protocol'
import { tellAside } from './aside.ts'
import type { Connection } from './connection.ts'
import { unknownServer } from './errors.ts'
import { causeOf } from './hook-cause.ts'
import { hopsOf } from './hops.ts'
import type { ViewSource } from './options.ts'
import type { PublicationHost } from './publication-host.ts'
import { relayedCall } from './relayed-call.ts'
import type { Root, RootListener } from './root.ts'
import type { Server } from './server.ts'
import { ServerView } from './server-view.ts'
import { subjectOf } from './subject-of.ts'

const changedNotifications: Readonly<Record<ListKind, string | undefined>> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  // One notification stands for both.
  resourceTemplates: undefined,
}

/** One server as it is: every method, name and field untouched, in both directions. */
export class ServerPublication implements MessageHandler, RootListener {
  readonly #host: PublicationHost
  readonly #name: string
  readonly #view: ServerView | undefined

  constructor(host: PublicationHost, name: string, view?: ViewSource) {
    this.#host = host
    this.#name = name
    this.#view = view && new ServerView(name, view)
  }

  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    const { method, params = {} } = message
    const root = this.#host.rootFor(context)
    root.listener = this
    if (!('id' in message)) return this.#onNotification(root, method, params, context)
    this.#view?.check(context, method, params)
    switch (method) {
      case 'initialize':
        return this.#initialize(root, params)
      case 'ping':
        return {}
      case 'logging/setLevel':
        root.level = params
        return this.#relay(method, this.#connection(root)?.levelFor(params) ?? params, context)
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return this.#follow(root, method, params, context)
    }
    const answer = this.#relay(method, params, context)
    const view = this.#view
    if (!view) return answer
    if (!(answer instanceof Promise)) return view.filter(context, method, answer)
    return answer.then((result) => view.filter(context, method, result))
  }

  onListChanged(root: Root, server: string, kinds: readonly ListKind[]): void {
    // Where it was removed there is nothing to list again.
    if (server !== this.#name || !this.#host.server(server)) return
    for (const kind of kinds) {
      const method = changedNotifications[kind]
      if (method) root.session.notify(method)
    }
  }

  onResourceUpdated(root: Root, server: string, params: JsonObject): void {
    // On a shared connection somebody else may be the one who asked.
    const shared = this.#host.server(server)?.sharing !== 'session'
    if (shared && !root.isSubscribed(server, String(params.uri))) return
    root.session.notify('notifications/resources/updated', params)
  }

  onReady(root: Root): void {
    // The session was served by another connection before: its lists may differ.
    if (!root.shown.has('tools')) root.shown.set('tools', [])
    else this.onListChanged(root, this.#name, ['tools', 'prompts', 'resources'])
  }

  onNotification(
    root: Root,
    _server: string,
    method: string,
    params: JsonObject | undefined,
  ): void {
    root.session.notify(method, params)
  }

  async #initialize(root: Root, params: JsonObject): Promise<JsonObject> {
    const hops = hopsOf(params)
    const { instance } = this.#host
    if (hops.filter((hop) => hop === instance).length > 1) throw leadsBack(this.#name)
    const { peer, server } = await this.#host.open(root, this.#server(), { hops })
    this.#host.follow(root)
    const protocolVersion =
      server.sharing === 'session' ? peer.protocolVersion : negotiateVersion(params.protocolVersion)
    return { ...peer.result, protocolVersion }
  }

  async #follow(
    root: Root,
    method: string,
    params: JsonObject,
    context: MessageContext,
  ): Promise<JsonObject> {
    const uri = subjectOf(params)
    if (method === 'resources/subscribe') {
      const result = await this.#relay(method, params, context)
      root.subscribe(this.#name, uri, uri)
      return result
    }
    root.unsubscribe(this.#name, uri)
    if (this.#connection(root)?.isWantedByOthers(root, uri)) return {}
    return await this.#relay(method, params, context)
  }

  #relay(
    method: string,
    params: JsonObject,
    context: MessageContext,
  ): JsonObject | Promise<JsonObject> {
    const to = { server: this.#name, method, name: subjectOf(params), params }
    return this.#host.dispatcher.dispatch(relayedCall(this.#host, context, to))
  }

  #onNotification(root: Root, method: string, params: JsonObject, context: MessageContext): void {
    const connection = this.#connection(root)
    // The server was told when its own handshake was over.
    if (!connection || method === 'notifications/initialized') return
    const own = connection.server.sharing === 'session'
    if (own || method !== 'notifications/roots/list_changed') {
      const cause = causeOf(context, this.#host.configuration)
      tellAside(this.#host, { root, connection, cause }, method, params)
    }
  }

  #connection(root: Root): Connection | undefined {
    return root.connections.get(this.#name)
  }

  #server(): Server {
    const server = this.#host.server(this.#name)
    if (!server) throw unknownServer(this.#name)
    return server
  }
}

/** Twice may be meant: one server here may be another one's door. Round and round is not. */
function leadsBack(name: string): ProtocolError {
  return new ProtocolError(
    'CALL_LOOP',
    `Server "${name}" leads back to this gateway, again and again`,
  )
}
