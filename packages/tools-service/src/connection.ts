import {
  type Deadlines,
  drainList,
  isObject,
  type JsonObject,
  type ListKind,
  listMethods,
  type Peer,
  type RequestId,
  type Session,
  type Timed,
} from '@mobius-mcp/protocol'
import type { Call } from './call.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'

export interface ConnectionHost {
  readonly deadlines: Deadlines
  now(): number
  /** The connection's first list of a kind: what everybody else is answered from. */
  onFirstList(connection: Connection, kind: ListKind, items: JsonObject[]): void
  onLog(server: string, line: string): void
}

/** A ready conversation with a server, for one root session or for several that share it. */
export class Connection implements Timed {
  readonly server: Server
  readonly key: string
  readonly session: Session
  readonly peer: Peer
  /** What may be asked of the client, as it was declared to the server. */
  readonly capabilities: JsonObject
  readonly roots: Set<Root> = new Set<Root>()
  /** Calls in flight. */
  readonly calls: Set<Call> = new Set<Call>()
  deadline = 0
  previous: Timed | undefined = undefined
  next: Timed | undefined = undefined
  /** Whether it has answered anything yet. */
  useful = false
  /** Replaced by a newer configuration: it takes no new calls and ends with the last one. */
  #retired = false
  #wanted = true
  #lastUsed: number
  readonly #host: ConnectionHost
  readonly #lists: Partial<Record<ListKind, JsonObject[]>> = {}
  /** Lists that were read at least once. */
  readonly #read = new Set<ListKind>()
  readonly #listing: Partial<Record<ListKind, Promise<JsonObject[]>>> = {}

  constructor(
    host: ConnectionHost,
    server: Server,
    key: string,
    session: Session,
    peer: Peer,
    capabilities: JsonObject,
  ) {
    this.#host = host
    this.server = server
    this.key = key
    this.session = session
    this.peer = peer
    this.capabilities = capabilities
    this.#lastUsed = host.now()
    if (Number.isFinite(server.idleTimeout)) {
      this.deadline = this.#lastUsed + server.idleTimeout
      host.deadlines.add(this)
    }
  }

  get retired(): boolean {
    return this.#retired
  }

  /** False once it was closed on purpose. */
  get wanted(): boolean {
    return this.#wanted
  }

  request(call: Call): Promise<JsonObject> {
    call.connection = this
    this.calls.add(call)
    return this.session.request(call.method, call.params, call)
  }

  /** The call has ended, one way or another. */
  release(call: Call, answered: boolean): void {
    this.calls.delete(call)
    if (answered) this.useful = true
    this.#lastUsed = call.startedAt
    if (this.#retired && this.calls.size === 0) void this.close()
  }

  /** The call that something the server said belongs to: the one whose stream carried it, else the only one in flight. */
  callFor(relatedTo: RequestId | undefined): Call | undefined {
    if (relatedTo !== undefined) {
      for (const call of this.calls) if (call.pending?.id === relatedTo) return call
    }
    if (this.calls.size !== 1) return undefined
    const [only] = this.calls
    return only
  }

  /** The list as last read from this connection. */
  known(kind: ListKind): JsonObject[] | undefined {
    return this.#lists[kind]
  }

  /** Reads a whole list, once for everyone who asks meanwhile. */
  list(kind: ListKind): Promise<JsonObject[]> {
    const known = this.#lists[kind]
    if (known) return Promise.resolve(known)
    this.#listing[kind] ??= this.#drain(kind).finally(() => {
      delete this.#listing[kind]
    })
    return this.#listing[kind]
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

  /** Whether the server declared the capability. */
  offers(capability: string): boolean {
    return isObject(this.peer.capabilities[capability])
  }

  retire(): void {
    this.#retired = true
    if (this.calls.size === 0) void this.close()
  }

  /** Ends it on purpose: nobody is to blame. */
  async close(): Promise<void> {
    this.#wanted = false
    await this.session.close('no longer needed')
  }

  /** Idle for too long, unless it was used since, or somebody waits for news from it. */
  onDeadline(): void {
    if (this.session.ending.cancelled) return
    const busy =
      this.calls.size > 0 || [...this.roots].some((root) => root.listensTo(this.server.name))
    const due = (busy ? this.#host.now() : this.#lastUsed) + this.server.idleTimeout
    if (due <= this.#host.now()) {
      void this.close()
      return
    }
    this.deadline = due
    this.#host.deadlines.add(this)
  }

  async #drain(kind: ListKind): Promise<JsonObject[]> {
    if (!this.offers(listMethods[kind].capability)) return this.#keep(kind, [])
    const items = await drainList(this.session, kind, {
      label: `${this.server.name} ${listMethods[kind].method}`,
      timeouts: this.server.timeoutsFor(''),
      onWarning: (warning) => this.#host.onLog(this.server.name, warning),
    })
    this.useful = true
    return this.#keep(kind, items)
  }

  #keep(kind: ListKind, items: JsonObject[]): JsonObject[] {
    this.#lists[kind] = items
    if (!this.#read.has(kind)) {
      this.#read.add(kind)
      this.#host.onFirstList(this, kind, items)
    }
    return items
  }
}
