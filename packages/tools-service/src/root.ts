import type { JsonObject, ListKind, Principal, Session } from '@mobius-mcp/protocol'
import type { Connection } from './connection.ts'
import { isLoudEnough } from './log-level.ts'
import type { Owner } from './naming.ts'
import { Order } from './order.ts'
import type { PublishedTables } from './published-lists.ts'
import type { Server } from './server.ts'

/** What a root session is told of the servers that it uses. */
export interface RootListener {
  /** A list may read differently now. */
  onListChanged(root: Root, server: string, kinds: readonly ListKind[]): void
  onResourceUpdated(root: Root, server: string, params: JsonObject): void
  /** A connection was opened: perhaps in place of a lost one, perhaps after a list from memory. */
  onReady(root: Root, connection: Connection): void
  /** Anything else that a server says outside a call. */
  onNotification(root: Root, server: string, method: string, params: JsonObject | undefined): void
}

/** Where a session remembers which servers keep something for it. */
const memoryName = 'servers'

/** What the service keeps for one root session: nothing at all until the session uses something. */
export class Root {
  readonly session: Session
  /** Who the session was opened for. */
  readonly principal: Principal
  readonly connections: Map<string, Connection> = new Map<string, Connection>()
  readonly opening: Map<Server, Promise<Connection>> = new Map<Server, Promise<Connection>>()
  listener: RootListener | undefined = undefined
  /** The tables of whatever is published to the session. */
  published: PublishedTables | undefined = undefined
  /** The params of the session's last `logging/setLevel`. */
  level: JsonObject | undefined = undefined
  /** What the session subscribed to: by server and the server's own URI, the URI that the session knows. */
  subscriptions: Map<string, Map<string, string>> | undefined = undefined
  /** What the session was last shown, by kind. */
  readonly shown: Map<ListKind, readonly JsonObject[]> = new Map<ListKind, readonly JsonObject[]>()

  /** Why connections to servers were lost that kept something for the session, by server, until it is told. */
  #losses: Map<string, string> | undefined = undefined
  #outbound: Map<string, Order> | undefined = undefined
  #watched = false

  constructor(session: Session, principal: Principal) {
    this.session = session
    this.principal = principal
    for (const server of this.#remembered()) this.lose(server, 'the gateway was restarted')
  }

  get ended(): boolean {
    return this.session.ending.cancelled
  }

  /** What keeps the session's messages to a server in order, while hooks look at some of them. */
  outbound(server: string): Order {
    this.#outbound ??= new Map()
    let order = this.#outbound.get(server)
    if (!order) {
      order = new Order()
      this.#outbound.set(server, order)
    }
    return order
  }

  /** What a server had kept for the session is gone. */
  lose(server: string, reason: string): void {
    this.#losses ??= new Map()
    this.#losses.set(server, reason)
  }

  /** Why what a server had kept is gone, for its next connection to say. */
  takeLoss(server: string): string | undefined {
    const reason = this.#losses?.get(server)
    this.#losses?.delete(server)
    return reason
  }

  /** A server keeps something for the session: should the process die, the session goes on without it. */
  remember(server: string): void {
    const servers = this.#remembered()
    if (!servers.includes(server)) this.session.memory?.remember(memoryName, [...servers, server])
  }

  #remembered(): string[] {
    const servers = this.session.memory?.recall(memoryName)
    return Array.isArray(servers) ? servers.map(String) : []
  }

  /** Calls back when the session ends; the first caller's callback stands. */
  watchEnd(onEnd: () => void): void {
    if (this.#watched) return
    this.#watched = true
    this.session.ending.listen({ onCancel: onEnd })
  }

  /** Whether the session wants a log message, where its server cannot know. */
  hears(message: JsonObject | undefined): boolean {
    return this.level === undefined || isLoudEnough(message?.level, this.level.level)
  }

  listensTo(server: string): boolean {
    return (this.subscriptions?.get(server)?.size ?? 0) > 0
  }

  isSubscribed(server: string, uri: string): boolean {
    return this.subscriptions?.get(server)?.has(uri) ?? false
  }

  /** The URI under which the session subscribed to a server's resource. */
  subscribedAs(server: string, uri: string): string | undefined {
    return this.subscriptions?.get(server)?.get(uri)
  }

  /** What the session subscribed to under a URI. */
  subscribed(exposed: string): Owner | undefined {
    for (const [server, uris] of this.subscriptions ?? []) {
      for (const [name, known] of uris) if (known === exposed) return { server, name }
    }
    return undefined
  }

  subscribe(server: string, uri: string, exposed: string): void {
    this.subscriptions ??= new Map()
    const uris = this.subscriptions.get(server)
    if (uris) uris.set(uri, exposed)
    else this.subscriptions.set(server, new Map([[uri, exposed]]))
  }

  unsubscribe(server: string, uri: string): void {
    this.subscriptions?.get(server)?.delete(uri)
  }
}
