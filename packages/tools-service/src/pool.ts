import {
  type AuthNeededError,
  Cancellation,
  type Clock,
  deadlinesOf,
  isAuthNeeded,
  type JsonObject,
  type ListKind,
  localPrincipal,
  type Principal,
  type Session,
} from '@mobius-mcp/protocol'
import { type AsideHost, askAside } from './aside.ts'
import type { Call } from './call.ts'
import type { Connection } from './connection.ts'
import { reasonOf, unavailable } from './errors.ts'
import { type HookCause, rootCause } from './hook-cause.ts'
import { noHops } from './hops.ts'
import { type Opening, type OpeningOptions, openConnection } from './open-connection.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'
import { SignIns } from './sign-ins.ts'
import { Supervisor } from './supervisor.ts'
import type { ChangeListener } from './upstream-client.ts'

/** On whose behalf a connection is opened. */
export interface OpenFor {
  /** By default whoever the root session was opened for. Of no account where everybody shares the connection. */
  readonly principal?: Principal | undefined
  /** The gateways that the request came through. */
  readonly hops?: readonly string[] | undefined
  /** What it is opened for, as its hooks see it; by default the session itself. */
  readonly cause?: HookCause | undefined
}

export interface PoolOptions {
  readonly instance: string
  readonly clock: Clock
  readonly info: JsonObject
  readonly startTimeout: number
  readonly changes: ChangeListener
  /** Has the present configuration. */
  readonly host: AsideHost
  onList(connection: Connection, kind: ListKind, items: JsonObject[]): void
  /** A root session has a new connection to a server. */
  onReady(root: Root, connection: Connection): void
  onStateChange(server: string): void
  /** Somebody signed in to a server that had asked for it. */
  onSignedIn(server: string): void
  onLog(server: string, line: string): void
}

/** Opens connections, one for each key and only once at a time, and lets go of those that ended. */
export class Pool {
  readonly #options: PoolOptions
  readonly #opening: OpeningOptions
  readonly #closing = new Cancellation()
  readonly #supervisors = new WeakMap<Server, Supervisor>()
  readonly #shared = new Map<string, Connection>()
  readonly #sharing = new Map<string, Promise<Connection>>()
  readonly #all = new Set<Connection>()
  readonly #signIns: SignIns

  constructor(options: PoolOptions) {
    const { instance, clock, info, startTimeout, changes } = options
    this.#options = options
    this.#signIns = new SignIns((server) => {
      this.supervisor(server).reset()
      options.onSignedIn(server.name)
    })
    const host = {
      instance,
      deadlines: deadlinesOf(clock),
      now: () => clock.now(),
      onList: options.onList,
      onUseful: ({ server, retired }: Connection) => {
        if (!retired) this.supervisor(server).onUseful()
      },
      onUsed: (connection: Connection, session: Session) => this.#onUsed(connection, session),
      onLog: options.onLog,
    }
    const closing = this.#closing
    this.#opening = { clock, info, startTimeout, changes, aside: options.host, host, closing }
  }

  supervisor(server: Server): Supervisor {
    let supervisor = this.#supervisors.get(server)
    if (!supervisor) {
      supervisor = new Supervisor(this.#options.clock, () =>
        this.#options.onStateChange(server.name),
      )
      this.#supervisors.set(server, supervisor)
    }
    return supervisor
  }

  /**
   * The server wants somebody to sign in again, or for more, although it had been ready. Returns
   * what those who need it are told.
   */
  onAuthNeeded(server: Server, error: AuthNeededError): AuthNeededError {
    const { stepUp, reason } = error.login
    if (!stepUp) this.supervisor(server).onSignInNeeded(reason)
    return this.#signIns.await(server, error)
  }

  /** How many calls wait for an answer, by the server's name. */
  callsInFlight(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { server, calls } of this.#all) {
      counts.set(server.name, (counts.get(server.name) ?? 0) + calls.size)
    }
    return counts
  }

  /** The ready connection that the root session shares with others, whether it has used it yet or not. */
  sharedBy(root: Root, server: Server): Connection | undefined {
    if (server.sharing === 'session') return undefined
    return this.#shared.get(keyOf(server, root, root.principal))
  }

  /**
   * A ready connection for the root session, opened where there is none.
   *
   * @throws ProtocolError `SERVER_UNAVAILABLE`, with the reason.
   */
  async open(root: Root, server: Server, options: OpenFor = {}): Promise<Connection> {
    const ready = root.connections.get(server.name)
    if (ready && !ready.retired) return ready
    const connection = await this.#openOnce(root, server, options)
    const current = this.#current(server.name)
    if (current === server) return connection
    if (!current) throw unavailable(server.name, 'it was removed from the configuration')
    return await this.open(root, current, options)
  }

  /** The same for a call, which ends on the server that it began with: in its place there may be another by now. */
  openForCall(call: Call, root: Root, server: Server): Promise<Connection> {
    const { principal, hops } = call
    const known = this.#current(server.name) === server ? undefined : this.#kept(root, server)
    return known
      ? Promise.resolve(known)
      : this.#openOnce(root, server, { principal, hops, cause: call })
  }

  /** Lets go of what a root session used. */
  release(root: Root): void {
    for (const connection of root.connections.values()) {
      connection.leave(root)
      if (connection.server.sharing === 'session') connection.end()
      else this.#unsubscribe(root, connection)
    }
    root.connections.clear()
  }

  /** A server was removed or changed: its connections end when the last call that began with it has. */
  retire(server: Server): void {
    server.holds.onFree = () => this.#drain(server)
    this.#drain(server)
  }

  async close(): Promise<void> {
    const reason = 'the service was closed'
    this.#closing.cancel(reason)
    await Promise.allSettled([...this.#all].map((connection) => connection.close(reason)))
  }

  #unsubscribe(root: Root, connection: Connection): void {
    const { server, roots } = connection
    for (const uri of root.subscriptions?.get(server.name)?.keys() ?? []) {
      if ([...roots].some((other) => other.isSubscribed(server.name, uri))) continue
      const { host, onLog } = this.#options
      askAside(host, { root, connection }, 'resources/unsubscribe', { uri }).catch(
        (error: unknown) => onLog(server.name, `resources/unsubscribe failed: ${reasonOf(error)}`),
      )
    }
  }

  #current(name: string): Server | undefined {
    return this.#options.host.configuration.server(name)
  }

  /** The root session's connection to a server that is not in the present configuration any more. */
  #kept(root: Root, server: Server): Connection | undefined {
    for (const each of this.#all) {
      if (each.server === server && each.wanted && each.roots.has(root)) return each
    }
    return undefined
  }

  #openOnce(root: Root, server: Server, options: OpenFor): Promise<Connection> {
    let opening = root.opening.get(server)
    if (!opening) {
      opening = this.#openFor(root, server, options).finally(() => root.opening.delete(server))
      root.opening.set(server, opening)
    }
    return opening
  }

  async #openFor(root: Root, server: Server, options: OpenFor): Promise<Connection> {
    this.#checkWanted(root, server)
    const own = server.sharing === 'session'
    // What everybody shares is in nobody's name but our own: the first caller's would be everybody's.
    const caller = options.principal ?? root.principal
    const principal = server.sharing === 'process' ? localPrincipal : caller
    const { hops = noHops } = options
    const cause = options.cause ?? rootCause(root, this.#options.host.configuration)
    const opening = { root, server, principal, hops, cause, key: keyOf(server, root, principal) }
    const connection = await (own ? this.#start(opening) : this.#share(opening))
    if (this.#current(server.name) !== server) {
      connection.roots.add(root)
      connection.retire()
      return connection
    }
    if (root.ended && own) await connection.close()
    this.#checkWanted(root, server)
    if (connection.session.ending.cancelled) {
      throw unavailable(server.name, String(connection.session.ending.reason))
    }
    connection.roots.add(root)
    root.connections.set(server.name, connection)
    const loss = root.takeLoss(server.name)
    if (loss !== undefined) connection.addLoss(root.session, loss)
    this.#options.onReady(root, connection)
    return connection
  }

  #drain(server: Server): void {
    for (const connection of this.#all) {
      if (connection.server !== server) continue
      if (this.#shared.get(connection.key) === connection) this.#shared.delete(connection.key)
      connection.retire()
    }
  }

  #checkWanted(root: Root, { name, disabled }: Server): void {
    if (disabled) throw unavailable(name, 'it is disabled in the configuration')
    if (root.ended) throw unavailable(name, 'the session that it was needed for has ended')
    if (this.#closing.cancelled) throw unavailable(name, String(this.#closing.reason))
  }

  #share(opening: Opening): Promise<Connection> {
    const { key } = opening
    const shared = this.#shared.get(key)
    if (shared) return Promise.resolve(shared)
    let sharing = this.#sharing.get(key)
    if (!sharing) {
      sharing = this.#start(opening).finally(() => this.#sharing.delete(key))
      this.#sharing.set(key, sharing)
    }
    return sharing
  }

  async #start(opening: Opening): Promise<Connection> {
    const { root, server } = opening
    const supervisor = this.supervisor(server)
    const pause = supervisor.pause()
    if (pause === undefined) {
      throw unavailable(
        server.name,
        `${supervisor.reason}. It is tried again in ${supervisor.retryIn} at the earliest.`,
      )
    }
    if (pause > 0) {
      await this.#wait(pause)
      this.#checkWanted(root, server)
    }
    const era = supervisor.onStart()
    try {
      const connection = await openConnection(this.#opening, opening)
      supervisor.onReady()
      this.#watch(connection, supervisor, era)
      return connection
    } catch (error) {
      if (isAuthNeeded(error)) {
        supervisor.onStartRefused(error.login.reason)
        throw this.#signIns.await(server, error)
      }
      const givenUp = this.#closing.cancelled || (server.sharing === 'session' && root.ended)
      supervisor.onStartFailed(givenUp ? undefined : reasonOf(error), era)
      throw unavailable(server.name, reasonOf(error), error)
    }
  }

  #watch(connection: Connection, supervisor: Supervisor, era: number): void {
    const { session, key, server } = connection
    this.#all.add(connection)
    if (server.sharing !== 'session') this.#shared.set(key, connection)
    const onCancel = (reason: unknown) => {
      this.#all.delete(connection)
      this.#opening.host.deadlines.remove(connection)
      if (this.#shared.get(key) === connection) this.#shared.delete(key)
      // Nobody is to blame where it ends with the session that it was for.
      const blamed = connection.wanted && !session.parent?.ending.cancelled
      supervisor.onEnd(blamed ? String(reason) : undefined, connection.useful, era)
      for (const root of connection.roots) this.#onLost(root, connection)
    }
    if (session.ending.cancelled) onCancel(session.ending.reason)
    else session.ending.listen({ onCancel })
  }

  #onUsed({ roots, server }: Connection, session: Session): void {
    for (const root of roots) if (root.session === session) root.remember(server.name)
  }

  /** Whoever waits for news from a lost server gets a new connection without asking. */
  #onLost(root: Root, connection: Connection): void {
    const { name } = connection.server
    const untold = connection.takeLoss(root.session)
    if (connection.holdsStateOf(root.session)) {
      root.lose(name, String(connection.session.ending.reason))
    } else if (untold !== undefined) root.lose(name, untold)
    if (root.connections.get(name) === connection) root.connections.delete(name)
    if ((connection.wanted || connection.retired) && root.listensTo(name)) this.#reopen(root, name)
  }

  #reopen(root: Root, name: string): void {
    const attempt = () => {
      const server = this.#current(name)
      if (!server || server.disabled || root.ended || this.#closing.cancelled) return
      if (!root.listensTo(name) || root.connections.has(name)) return
      this.open(root, server).catch((error: unknown) => {
        if (!isAuthNeeded(error)) this.#reopen(root, name)
        else void error.login.done.then((signedIn) => signedIn && this.#reopen(root, name))
      })
    }
    const server = this.#current(name)
    this.#options.clock.set(attempt, server ? this.supervisor(server).delay() : 0)
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.set(resolve, milliseconds)
    })
  }
}

function keyOf({ name, identity, sharing }: Server, root: Root, principal: Principal): string {
  const server = `${name}\0${identity}`
  switch (sharing) {
    case 'session':
      return `${server}\0${root.session.id}`
    case 'principal':
      return `${server}\0${principal.issuer ?? ''}\0${principal.id}`
    case 'process':
      return server
  }
}
