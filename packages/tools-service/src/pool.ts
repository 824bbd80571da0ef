import {
  type Clock,
  deadlinesOf,
  initialize,
  isObject,
  type JsonObject,
  type ListKind,
  latestLegacyVersion,
  legacyVersions,
  type Principal,
  type Session,
} from '@mobius-mcp/protocol'
import { Connection, type ConnectionHost } from './connection.ts'
import { disabledServer, reasonOf, unavailable } from './errors.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'
import { Supervisor } from './supervisor.ts'
import { type ChangeListener, UpstreamClient } from './upstream-client.ts'

export interface PoolOptions {
  readonly clock: Clock
  readonly info: JsonObject
  readonly startTimeout: number
  readonly changes: ChangeListener
  onFirstList(connection: Connection, kind: ListKind, items: JsonObject[]): void
  /** A root session has a new connection to a server. */
  onReady(root: Root, connection: Connection): void
  onStateChange(server: string): void
  onLog(server: string, line: string): void
}

/** Opens connections, one for each key and only once at a time, and lets go of those that ended. */
export class Pool {
  readonly #options: PoolOptions
  readonly #host: ConnectionHost
  readonly #supervisors = new Map<string, Supervisor>()
  readonly #shared = new Map<string, Connection>()
  readonly #opening = new Map<string, Promise<Connection>>()
  readonly #all = new Set<Connection>()

  constructor(options: PoolOptions) {
    this.#options = options
    this.#host = {
      deadlines: deadlinesOf(options.clock),
      now: () => options.clock.now(),
      onFirstList: options.onFirstList,
      onLog: options.onLog,
    }
  }

  supervisor(server: Server): Supervisor {
    let supervisor = this.#supervisors.get(server.name)
    if (!supervisor) {
      supervisor = new Supervisor(this.#options.clock, () =>
        this.#options.onStateChange(server.name),
      )
      this.#supervisors.set(server.name, supervisor)
    }
    return supervisor
  }

  /** Every connection to a server. */
  connectionsOf(server: string): Connection[] {
    return [...this.#all].filter((connection) => connection.server.name === server)
  }

  /**
   * A ready connection for the root session, opened where there is none.
   *
   * @throws ProtocolError `SERVER_UNAVAILABLE`, with the reason.
   */
  open(root: Root, server: Server, principal: Principal = root.principal): Promise<Connection> {
    const ready = root.connections.get(server.name)
    if (ready && !ready.retired) return Promise.resolve(ready)
    let opening = root.opening.get(server.name)
    if (!opening) {
      opening = this.#openFor(root, server, principal).finally(() =>
        root.opening.delete(server.name),
      )
      root.opening.set(server.name, opening)
    }
    return opening
  }

  /** Lets go of what a root session used. */
  release(root: Root): void {
    for (const connection of root.connections.values()) {
      connection.roots.delete(root)
      if (connection.server.sharing === 'session') void connection.close()
      else this.#unsubscribe(root, connection)
    }
    root.connections.clear()
  }

  /** A server was removed or changed: its connections end when their last call has. */
  retire(server: string): void {
    for (const connection of this.connectionsOf(server)) {
      this.#shared.delete(connection.key)
      connection.retire()
    }
    this.#supervisors.delete(server)
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#all].map((connection) => connection.close()))
  }

  #unsubscribe(root: Root, { server, session, roots }: Connection): void {
    for (const uri of root.subscriptions?.get(server.name) ?? []) {
      if ([...roots].some((other) => other.isSubscribed(server.name, uri))) continue
      session.request('resources/unsubscribe', { uri }).catch((error: unknown) => {
        this.#options.onLog(server.name, `resources/unsubscribe failed: ${reasonOf(error)}`)
      })
    }
  }

  async #openFor(root: Root, server: Server, principal: Principal): Promise<Connection> {
    const key = keyOf(server, root, principal)
    const connection = await (server.sharing === 'session'
      ? this.#start(root, server, principal, key)
      : this.#share(root, server, principal, key))
    if (root.ended) {
      if (server.sharing === 'session') await connection.close()
      throw unavailable(server.name, 'the session that it was opened for has ended')
    }
    connection.roots.add(root)
    root.connections.set(server.name, connection)
    this.#options.onReady(root, connection)
    return connection
  }

  #share(root: Root, server: Server, principal: Principal, key: string): Promise<Connection> {
    const shared = this.#shared.get(key)
    if (shared) return Promise.resolve(shared)
    let opening = this.#opening.get(key)
    if (!opening) {
      opening = this.#start(root, server, principal, key).finally(() => this.#opening.delete(key))
      this.#opening.set(key, opening)
      opening.then((connection) => this.#shared.set(key, connection)).catch(() => {})
    }
    return opening
  }

  async #start(root: Root, server: Server, principal: Principal, key: string): Promise<Connection> {
    if (server.disabled) throw disabledServer(server)
    const supervisor = this.supervisor(server)
    const pause = supervisor.pause()
    if (pause === undefined) {
      throw unavailable(
        server.name,
        `${supervisor.reason}. It is tried again in ${supervisor.retryIn} at the earliest.`,
      )
    }
    if (pause > 0) await this.#wait(pause)
    supervisor.onStart()
    try {
      const connection = await this.#attempt(root, server, principal, key)
      supervisor.onReady()
      this.#watch(connection, supervisor)
      return connection
    } catch (error) {
      supervisor.onStartFailed(reasonOf(error))
      throw unavailable(server.name, reasonOf(error), error)
    }
  }

  async #attempt(
    root: Root,
    server: Server,
    principal: Principal,
    key: string,
  ): Promise<Connection> {
    const own = server.sharing === 'session'
    const abort = new AbortController()
    const seconds = this.#options.startTimeout / 1000
    const timer = this.#options.clock.set(
      () => abort.abort(new Error(`it did not answer within ${seconds} s`)),
      this.#options.startTimeout,
    )
    const client = new UpstreamClient(server.name, this.#options.changes)
    let session: Session | undefined
    try {
      session = await untilAborted(
        server.open({
          client,
          parent: own ? root.session : undefined,
          principal,
          signal: abort.signal,
        }),
        abort.signal,
      )
      const declared = own ? capabilitiesOf(root.session) : {}
      const peer = await initialize(session, {
        info: own ? (root.session.peer?.info ?? this.#options.info) : this.#options.info,
        capabilities: declared,
        protocolVersion: own ? versionOf(root.session) : latestLegacyVersion,
        signal: abort.signal,
        label: 'initialize',
      })
      const connection = new Connection(this.#host, server, key, session, peer, declared)
      client.connection = connection
      return connection
    } catch (error) {
      await session?.close('it did not start')
      throw abort.signal.aborted ? abort.signal.reason : error
    } finally {
      this.#options.clock.clear(timer)
    }
  }

  #watch(connection: Connection, supervisor: Supervisor): void {
    this.#all.add(connection)
    const onCancel = (reason: unknown) => {
      this.#all.delete(connection)
      this.#host.deadlines.remove(connection)
      if (this.#shared.get(connection.key) === connection) this.#shared.delete(connection.key)
      supervisor.onEnd(connection.wanted ? String(reason) : undefined, connection.useful)
      for (const root of connection.roots) this.#onLost(root, connection)
    }
    if (connection.session.ending.cancelled) onCancel(connection.session.ending.reason)
    else connection.session.ending.listen({ onCancel })
  }

  /** Whoever waits for news from a lost server gets a new connection without asking. */
  #onLost(root: Root, connection: Connection): void {
    const { server } = connection
    if (root.connections.get(server.name) === connection) root.connections.delete(server.name)
    if (connection.wanted && !root.ended && root.listensTo(server.name)) {
      this.#reopen(root, server)
    }
  }

  #reopen(root: Root, server: Server): void {
    const attempt = () => {
      if (root.ended || !root.listensTo(server.name) || root.connections.has(server.name)) return
      this.open(root, server).catch(() => this.#reopen(root, server))
    }
    this.#options.clock.set(attempt, this.supervisor(server).delay())
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.set(resolve, milliseconds)
    })
  }
}

function keyOf(server: Server, root: Root, principal: Principal): string {
  switch (server.sharing) {
    case 'session':
      return `${server.identity}\0${root.session.id}`
    case 'principal':
      return `${server.identity}\0${principal.issuer ?? ''}\0${principal.id}`
    case 'process':
      return server.identity
  }
}

/** Exactly what the client of a root session declared: a server may ask for no more and no less. */
export function capabilitiesOf(root: Session): JsonObject {
  const declared = root.peer?.capabilities
  return isObject(declared) ? declared : {}
}

function versionOf(root: Session): string {
  const version = root.peer?.protocolVersion ?? ''
  const known: readonly string[] = legacyVersions
  return known.includes(version) ? version : latestLegacyVersion
}

/** Gives up waiting when the signal says so; the work itself is told by the same signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
