import {
  type Deadlines,
  drainList,
  isObject,
  type JsonObject,
  LinkedSet,
  type ListKind,
  listMethods,
  type Origin,
  type Peer,
  type RequestId,
  type Session,
  type Timed,
} from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import { reasonOf } from './errors.ts'
import { hopsKey, noHops } from './hops.ts'
import { quietest } from './log-level.ts'
import type { Order } from './order.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'

export interface ConnectionHost {
  /** This gateway, among the hops of what it sends. */
  readonly instance: string
  readonly deadlines: Deadlines
  now(): number
  /** The connection's first list of a kind, and on a shared one every later: what everybody else is answered from. */
  onList(connection: Connection, kind: ListKind, items: JsonObject[]): void
  /** The connection has answered for the first time. */
  onUseful(connection: Connection): void
  /** The connection has answered a root session for the first time, and its server may keep something for that. */
  onUsed(connection: Connection, root: Session): void
  onLog(server: string, line: string): void
}

export interface ConnectionStart {
  readonly server: Server
  readonly key: string
  readonly session: Session
  readonly peer: Peer
  /** What may be asked of the client, as it was declared to the server. */
  readonly capabilities: JsonObject
  /** What keeps the server's messages in order, while hooks look at some of them. */
  readonly inbound: Order
  /** Whether the server can keep something for whoever it talks to. */
  readonly keepsState: boolean
  /** After so many milliseconds without use it ends. */
  readonly idleTimeout: number
}

/** A ready conversation with a server, for one root session or for several that share it. */
export class Connection implements Timed {
  readonly server: Server
  readonly key: string
  readonly session: Session
  readonly peer: Peer
  readonly capabilities: JsonObject
  readonly inbound: Order
  readonly keepsState: boolean
  readonly roots: Set<Root> = new Set<Root>()
  /** Calls in flight. */
  readonly calls: LinkedSet<Call> = new LinkedSet<Call>()
  deadline = 0
  previous: Timed | undefined = undefined
  next: Timed | undefined = undefined
  /** What the roots have lost with the connections before, and have not been told yet. */
  losses: Map<Session, string> | undefined = undefined
  /** Whose calls it has answered; the last one of them is the usual one. */
  #users: Set<Session> | undefined
  #lastUser: Session | undefined
  #useful = false
  /** Replaced by a newer configuration: it takes no new calls and ends with the last one. */
  #retired = false
  #wanted = true
  #lastUsed: number
  #hooks: Set<string> | undefined
  #lastHook: string | undefined
  readonly #idleTimeout: number
  readonly #host: ConnectionHost
  readonly #lists: Partial<Record<ListKind, JsonObject[]>> = {}
  /** Lists that were read at least once. */
  readonly #read = new Set<ListKind>()
  readonly #listing: Partial<Record<ListKind, Promise<JsonObject[]>>> = {}

  constructor(host: ConnectionHost, start: ConnectionStart) {
    this.#host = host
    this.server = start.server
    this.key = start.key
    this.session = start.session
    this.peer = start.peer
    this.capabilities = start.capabilities
    this.inbound = start.inbound
    this.keepsState = start.keepsState
    this.#idleTimeout = start.idleTimeout
    this.#lastUsed = host.now()
    if (Number.isFinite(this.#idleTimeout)) {
      this.deadline = this.#lastUsed + this.#idleTimeout
      host.deadlines.add(this)
    }
  }

  get retired(): boolean {
    return this.#retired
  }

  /** Whether it has answered anything yet. */
  get useful(): boolean {
    return this.#useful
  }

  /** False once it was closed on purpose. */
  get wanted(): boolean {
    return this.#wanted
  }

  request(call: Call): JsonObject | Promise<JsonObject> {
    call.connection = this
    this.calls.add(call)
    if (call.held) call.letGo()
    if (call.configuration.hooked && call.origin.kind !== 'client') this.#remember(call.origin)
    const { session } = this
    if (session.requestNow) return session.requestNow(call.method, call.params, call)
    return session.request(call.method, call.params, call)
  }

  /**
   * What the server says outside any call, as to what led to it: every hook that ever called over
   * this connection may have, so none of them fires on it.
   */
  get origin(): Origin {
    let origin: Origin = { kind: 'client' }
    for (const name of this.#hooks ?? []) origin = { kind: 'hook', name, cause: origin }
    return origin
  }

  /** The call is over, one way or another. */
  release(call: Call, answered: boolean, now: number): void {
    this.calls.delete(call)
    if (answered && call.root !== this.#lastUser) this.#onUser(call.root)
    this.#lastUsed = now
    if (this.#retired) this.retire()
  }

  /** The call that something the server said belongs to: the one whose stream carried it, else the only one in flight. */
  callFor(relatedTo: RequestId | undefined): Call | undefined {
    if (relatedTo !== undefined) {
      for (const call of this.calls) if (call.pending?.id === relatedTo) return call
    }
    if (this.calls.size !== 1) return undefined
    return this.calls.first
  }

  /** The list as last read from this connection. */
  known(kind: ListKind): JsonObject[] | undefined {
    return this.#lists[kind]
  }

  /** The whole list, read where it is not known. */
  list(kind: ListKind, hops?: readonly string[]): Promise<JsonObject[]> {
    const known = this.#lists[kind]
    return known ? Promise.resolve(known) : this.read(kind, hops)
  }

  /** Reads a whole list, known or not, once for everyone who asks meanwhile. */
  read(kind: ListKind, hops: readonly string[] = noHops): Promise<JsonObject[]> {
    const running = this.#listing[kind]
    if (running) return running
    const isCurrent = () => this.#listing[kind] === reading
    const reading = this.#drain(kind, hops)
      .then((items) => {
        // It has changed since: these items may be the old ones.
        if (isCurrent()) this.#keep(kind, items)
        return items
      })
      .finally(() => {
        if (isCurrent()) delete this.#listing[kind]
      })
    this.#listing[kind] = reading
    return reading
  }

  /** Forgets a list that has changed. */
  invalidate(kind: ListKind): void {
    delete this.#lists[kind]
    delete this.#listing[kind]
  }

  /** Whether a root session other than this one is subscribed to the resource here. */
  isWantedByOthers(root: Root, uri: string): boolean {
    for (const other of this.roots) {
      if (other !== root && other.isSubscribed(this.server.name, uri)) return true
    }
    return false
  }

  /** What to set when a session wants the level: on a shared connection, what lets the most through. */
  levelFor(wanted: JsonObject): JsonObject {
    if (this.server.sharing === 'session') return wanted
    return quietest([wanted, ...[...this.roots].map(({ level }) => level)]) ?? wanted
  }

  /** What a root session has lost, to be told once. */
  takeLoss(root: Session): string | undefined {
    const reason = this.losses?.get(root)
    this.losses?.delete(root)
    if (this.losses?.size === 0) this.losses = undefined
    return reason
  }

  /** A root session has ended. */
  leave(root: Root): void {
    this.roots.delete(root)
    this.#users?.delete(root.session)
    if (this.#lastUser === root.session) this.#lastUser = undefined
    this.takeLoss(root.session)
  }

  /** It takes the place of one that was lost. */
  addLoss(root: Session, reason: string): void {
    this.losses ??= new Map()
    this.losses.set(root, reason)
  }

  /** Whether it has answered a call of the root session, so that its server may keep something for that. */
  holdsStateOf(root: Session): boolean {
    return this.keepsState && (this.#users?.has(root) ?? false)
  }

  /** Whether the server declared the capability. */
  offers(capability: string): boolean {
    return isObject(this.peer.capabilities[capability])
  }

  /** A newer configuration has another server in its place: it ends with the last call that began with the old one. */
  retire(): void {
    this.#retired = true
    if (this.calls.size === 0 && this.server.holds.free && this.#wanted)
      this.end('its configuration has changed')
  }

  /** Ends it on purpose: nobody is to blame. */
  async close(reason = 'no longer needed'): Promise<void> {
    this.#wanted = false
    await this.session.close(reason)
  }

  /** The server has forgotten the session: it is alive, so nothing has failed, but this is over. */
  async lose(): Promise<void> {
    if (!this.#useful) this.#onUseful()
    await this.session.close('the server has forgotten the session')
  }

  /** Ends it on purpose, where nobody waits for that. */
  end(reason?: string): void {
    this.close(reason).catch((error: unknown) =>
      this.#host.onLog(this.server.name, `It did not close properly: ${reasonOf(error)}`),
    )
  }

  /** Idle for too long, unless it was used since, or somebody waits for news from it. */
  onDeadline(): void {
    if (this.session.ending.cancelled) return
    const busy =
      this.calls.size > 0 || [...this.roots].some((root) => root.listensTo(this.server.name))
    const due = (busy ? this.#host.now() : this.#lastUsed) + this.#idleTimeout
    if (due <= this.#host.now()) {
      this.end('it was not used for so long that it was closed')
      return
    }
    this.deadline = due
    this.#host.deadlines.add(this)
  }

  #remember(origin: Origin): void {
    // The usual one: a hook on what a client did, over and over.
    if (origin.name === this.#lastHook && origin.cause?.kind === 'client') return
    if (origin.kind === 'hook') this.#lastHook = origin.name
    for (let each: Origin | undefined = origin; each; each = each.cause) {
      if (each.kind !== 'hook' || each.name === undefined) continue
      this.#hooks ??= new Set()
      this.#hooks.add(each.name)
    }
  }

  #onUser(root: Session): void {
    this.#lastUser = root
    if (!this.#useful) this.#onUseful()
    this.#users ??= new Set()
    if (this.#users.has(root)) return
    this.#users.add(root)
    if (this.keepsState) this.#host.onUsed(this, root)
  }

  #onUseful(): void {
    this.#useful = true
    this.#host.onUseful(this)
  }

  async #drain(kind: ListKind, hops: readonly string[]): Promise<JsonObject[]> {
    if (!this.offers(listMethods[kind].capability)) return []
    const items = await drainList(this.session, kind, {
      label: `${this.server.name} ${listMethods[kind].method}`,
      timeouts: this.server.timeoutsFor(''),
      meta: { [hopsKey]: [...hops, this.#host.instance] },
      onWarning: (warning) => this.#host.onLog(this.server.name, warning),
    })
    if (!this.#useful) this.#onUseful()
    return items
  }

  #keep(kind: ListKind, items: JsonObject[]): void {
    this.#lists[kind] = items
    // What changes later on a connection of one session's own is that session's; else it is everybody's.
    if (this.#read.has(kind) && this.server.sharing === 'session') return
    this.#read.add(kind)
    this.#host.onList(this, kind, items)
  }
}
