import { noHooks } from '@mobius-mcp/hooks'
import {
  type Actor,
  type Caller,
  type CallOptions,
  type CallResult,
  type Clock,
  createCallId,
  type JsonObject,
  type Listing,
  type ListKind,
  listMethods,
  localPrincipal,
  type MessageContext,
  type MessageHandler,
  type ServerDefinition,
  type Session,
  systemClock,
  type Target,
} from '@mobius-mcp/protocol'
import { createMemoryCatalog } from '@mobius-mcp/state'
import { AggregatePublication } from './aggregate-publication.ts'
import { BoundCaller } from './bound-caller.ts'
import { createBuiltInServer } from './built-in-server.ts'
import type { Call, CallNode } from './call.ts'
import { type Configuration, changedServers, type Policies } from './configuration.ts'
import type { Connection } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import { reasonOf } from './errors.ts'
import { createExternalServer } from './external-server.ts'
import { HeadlessContext } from './headless-context.ts'
import { HeadlessSession } from './headless-session.ts'
import { causeOf } from './hook-cause.ts'
import { HookedMessages } from './hooked-messages.ts'
import { noHops } from './hops.ts'
import { type Gathered, Lists } from './lists.ts'
import type {
  CallEvent,
  ExternalServer,
  Snapshot,
  ToolsServiceOptions,
  ViewSource,
} from './options.ts'
import type { Order } from './order.ts'
import { type OpenFor, Pool } from './pool.ts'
import type { PublicationHost } from './publication-host.ts'
import { CallRing } from './recent-calls.ts'
import { Registry } from './registry.ts'
import { resume } from './resume.ts'
import { Root } from './root.ts'
import { mayName, type Server } from './server.ts'
import { ServerPublication } from './server-publication.ts'
import type { ServerState } from './server-state.ts'
import { StateBook } from './state-book.ts'
import type { ToolsService } from './tools-service.ts'
import { ViewPublication } from './view-publication.ts'

/** Makes the service. It opens nothing before something is used. */
export function createToolsService(options: ToolsServiceOptions = {}): ToolsService {
  return new Service(options)
}

const recentCalls = 500
const allKinds = Object.keys(listMethods) as ListKind[]

class Service implements ToolsService, PublicationHost {
  readonly instance: string = createCallId()
  readonly clock: Clock
  readonly info: JsonObject
  readonly listTimeout: number
  readonly dispatcher: Dispatcher
  readonly lists: Lists
  readonly recent: CallRing = new CallRing(recentCalls)
  readonly #options: ToolsServiceOptions
  readonly messages: HookedMessages
  readonly #pool: Pool
  readonly #registry: Registry
  readonly #states: StateBook
  readonly #roots = new WeakMap<Session, Root>()
  readonly #hookRoot: Root
  #latest: Root | undefined
  /** Those that have seen a list. */
  readonly #followers = new Set<Root>()
  #own: HeadlessContext | undefined

  constructor(options: ToolsServiceOptions) {
    this.#options = options
    this.#registry = new Registry(this.#policiesOf({}))
    this.clock = options.clock ?? systemClock
    this.info = { ...(options.info ?? { name: 'mobius', version: '0.0.0' }) }
    this.listTimeout = options.listTimeout ?? 5000
    const principal = options.hookPrincipal ?? localPrincipal
    const session = new HeadlessSession(this.info)
    this.#hookRoot = new Root(session, principal)
    const hookActor = {
      session,
      principal,
      callerFor: (context: MessageContext) => new BoundCaller(this, context),
    }
    this.messages = new HookedMessages(hookActor, this.clock, (server, line) =>
      this.onLog(server, line),
    )
    this.#pool = new Pool({
      instance: this.instance,
      clock: this.clock,
      info: this.info,
      startTimeout: options.startTimeout ?? 60_000,
      changes: { onListChanged: (connection, kinds) => this.#onListChanged(connection, kinds) },
      host: this,
      onList: (connection, kind, items) => this.#onList(connection, kind, items),
      onReady: (root, connection) => this.#onReady(root, connection),
      onStateChange: (server) => this.#states.changed(server),
      onSignedIn: (server) => this.#announce([server]),
      onLog: (server, line) => this.onLog(server, line),
    })
    this.#states = new StateBook(this.#registry, this.#pool)
    this.lists = new Lists({
      catalog: options.catalog ?? createMemoryCatalog(),
      clock: this.clock,
      pool: this.#pool,
      messages: this.messages,
      samples: () => this.configuration.sample !== undefined,
      onLog: (server, line) => this.onLog(server, line),
    })
    this.dispatcher = new Dispatcher({
      clock: this.clock,
      messages: this.messages,
      maxDepth: options.maxDepth ?? 16,
      approve: options.approve,
      observe: (event) => this.#observe(event),
      readyFor: (call) => this.#readyFor(call),
      connectionFor: (call, server) => this.#connectionFor(call, server),
      outboundOf: (call) => this.outboundOf(call),
      onAuthNeeded: (server, error) => this.#pool.onAuthNeeded(server, error),
    })
  }

  get configuration(): Configuration {
    return this.#registry.current
  }

  get generation(): number {
    return this.configuration.generation
  }

  addServer(definition: ServerDefinition): void {
    this.#registry.addBuiltIn(this.#makeBuiltIn(definition))
    this.#announce([definition.name])
  }

  apply(snapshot: Snapshot): void {
    const before = this.configuration
    const gone = this.#registry.apply(snapshot, this.#policiesOf(snapshot), {
      builtIn: (definition) => this.#makeBuiltIn(definition),
      external: (config) => this.#makeExternal(config),
    })
    for (const server of gone) {
      this.#pool.retire(server)
      void server.close()
    }
    this.#states.changed('')
    this.#announce(changedServers(before, this.configuration))
  }

  publish(view: ViewSource): MessageHandler {
    return typeof view === 'function'
      ? new ViewPublication(this, view)
      : new AggregatePublication(this, view)
  }

  publishServer(name: string, view?: ViewSource): MessageHandler | undefined {
    const server = this.configuration.server(name)
    return server?.visibility === 'published' ? new ServerPublication(this, name, view) : undefined
  }

  callerFor(subject: Actor | MessageContext): Caller {
    const context = 'session' in subject ? subject : new HeadlessContext(subject, this.info, this)
    return new BoundCaller(this, context)
  }

  request(
    server: string,
    method: string,
    params: JsonObject,
    options?: CallOptions,
  ): Promise<JsonObject> {
    return this.#ownCaller().request(server, method, params, options)
  }

  call(target: Target, args: JsonObject, options?: CallOptions): Promise<CallResult> {
    return this.#ownCaller().call(target, args, options)
  }

  list(kind: ListKind, refs: readonly string[], options?: CallOptions): Promise<Listing> {
    return this.#ownCaller().list(kind, refs, options)
  }

  states(): ServerState[] {
    return this.#states.list()
  }

  watchStates(listener: (server: string) => void): () => void {
    return this.#states.watch(listener)
  }

  retry(name: string): boolean {
    const server = this.configuration.server(name)
    if (!server) return false
    this.#pool.supervisor(server).reset()
    this.#announce([name])
    return true
  }

  async probe(): Promise<void> {
    const context = this.#ownContext()
    const root = this.rootFor(context)
    await Promise.allSettled(
      this.servers()
        .filter((server) => !server.disabled)
        .map(async (server) => {
          const connection = await this.#pool.open(root, server)
          await Promise.all(allKinds.map((kind) => connection.list(kind)))
        }),
    )
  }

  async close(): Promise<void> {
    await this.#own?.session.close()
    await this.#hookRoot.session.close()
    await this.#pool.close()
    await Promise.allSettled(this.servers().map((server) => server.close()))
  }

  servers(): readonly Server[] {
    return this.configuration.servers
  }

  server(name: string): Server | undefined {
    return this.configuration.server(name)
  }

  follow(root: Root): void {
    if (this.#followers.has(root) || root.ended) return
    this.#followers.add(root)
    root.session.ending.listen({ onCancel: () => this.#followers.delete(root) })
  }

  rootFor(context: MessageContext): Root {
    const { root: session } = context.session
    if (session === this.#hookRoot.session) return this.#hookRoot
    // One call asks several times, and calls of one session come in a row.
    if (this.#latest?.session === session) return this.#latest
    let root = this.#roots.get(session)
    if (!root) {
      root = new Root(session, context.principal)
      this.#roots.set(session, root)
    }
    this.#latest = root
    return root
  }

  open(root: Root, server: Server, options?: OpenFor): Promise<Connection> {
    return this.#pool.open(root, server, options)
  }

  retryDelay(name: string): number {
    const server = this.configuration.server(name)
    const supervisor = server && this.#pool.supervisor(server)
    // A sign-in takes as long as it takes, and is told of.
    if (!supervisor || supervisor.condition === 'auth-needed') return Number.POSITIVE_INFINITY
    return supervisor.delay()
  }

  async gatherFor(
    context: MessageContext,
    kind: ListKind,
    wanted: (server: string) => boolean,
  ): Promise<Gathered> {
    const { call }: { call: CallNode } = context
    const servers = this.servers().filter(
      (server) => wanted(server.name) && !server.disabled && mayName(call.origin, server),
    )
    const cause = causeOf(context, call.configuration ?? this.configuration)
    const asked = { kind, patience: this.listTimeout, hops: call.hops ?? noHops, cause }
    return await this.lists.gather(this.rootFor(context), servers, asked)
  }

  onLog(server: string, line: string): void {
    this.#options.onLog?.(server, line)
  }

  outboundOf(call: Call): Order {
    return this.rootFor(call.cause).outbound(call.server)
  }

  /** Spares the calls of the present configuration a look at its table: what is not retired is of it. */
  #readyFor(call: Call): Connection | undefined {
    if (call.configuration !== this.configuration) return undefined
    const ready = this.rootFor(call.cause).connections.get(call.server)
    return ready && !ready.retired ? ready : undefined
  }

  #connectionFor(call: Call, server: Server): Connection | Promise<Connection> {
    const root = this.rootFor(call.cause)
    const ready = root.connections.get(call.server)
    if (ready && ready.server === server && !ready.retired) return ready
    return this.#pool.openForCall(call, root, server)
  }

  #makeBuiltIn(definition: ServerDefinition): Server {
    const { folder = '.', crossing } = this.#options
    return createBuiltInServer(definition, {
      folder,
      crossing,
      clock: this.clock,
      callerFor: (actor) => this.callerFor(actor),
      onLog: (line) => this.onLog(definition.name, line),
    })
  }

  #makeExternal(config: ExternalServer): Server {
    const { connect, timeouts } = this.#options
    if (!connect) {
      throw new TypeError(
        `Server "${config.name}" lives elsewhere, and this service was given no connect function to reach it`,
      )
    }
    const onLog = (line: string) => this.onLog(config.name, line)
    return createExternalServer(config, { connect, clock: this.clock, timeouts, onLog })
  }

  /** What a configuration does not say is as the service was made. */
  #policiesOf({ hooks, authorize, sample, hookTrace = {} }: Partial<Snapshot>): Policies {
    const { hooks: ownHooks = noHooks, authorize: ownRules } = this.#options
    return { hooks: hooks ?? ownHooks, authorize: authorize ?? ownRules, sample, hookTrace }
  }

  /** Lists of these servers may read differently now; with the empty name, which servers there are. */
  #announce(servers: readonly string[]): void {
    for (const root of this.#followers) {
      for (const server of ['', ...servers]) root.listener?.onListChanged(root, server, allKinds)
    }
  }

  /** A bad observer must not cost anybody the call's result. */
  #observe(event: CallEvent): void {
    try {
      this.#states.count(event)
      this.recent.add(event)
      this.#options.observe?.(event)
    } catch (error) {
      this.onLog(event.server, `An observer of calls failed: ${reasonOf(error)}`)
    }
  }

  #onList(connection: Connection, kind: ListKind, items: JsonObject[]): void {
    const [root] = connection.roots
    this.lists.remember(connection, root, kind, items)
    this.#states.offers(connection.server.name, kind, items.length)
  }

  #onListChanged(connection: Connection, kinds: readonly ListKind[]): void {
    for (const kind of kinds) connection.invalidate(kind)
    const { server, retired } = connection
    // Another has taken its place, whose lists are the ones that count.
    if (retired) return
    const roots = new Set(connection.roots)
    for (const root of this.#followers) {
      if (this.#pool.sharedBy(root, server) === connection) roots.add(root)
    }
    for (const root of roots) root.listener?.onListChanged(root, server.name, kinds)
  }

  #onReady(root: Root, connection: Connection): void {
    root.watchEnd(() => this.#pool.release(root))
    resume(this, root, connection, (server, line) => this.onLog(server, line))
    root.listener?.onReady(root, connection)
  }

  #ownCaller(): Caller {
    return new BoundCaller(this, this.#ownContext())
  }

  #ownContext(): HeadlessContext {
    const actor = { principal: localPrincipal, origin: { kind: 'client' as const } }
    this.#own ??= new HeadlessContext(actor, this.info, this)
    return this.#own
  }
}
