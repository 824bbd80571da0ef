import {
  isObject,
  type JsonObject,
  type ListKind,
  listMethods,
  type MessageContext,
  type MessageHandler,
  type NotificationMessage,
  negotiateVersion,
  ProtocolError,
  page,
  parseLoggingLevel,
  type RequestMessage,
} from '@mobius-mcp/protocol'
import { askAside, tellAside } from './aside.ts'
import type { Connection } from './connection.ts'
import { reasonOf, unknownName } from './errors.ts'
import { causeOf } from './hook-cause.ts'
import { describeServers } from './instructions.ts'
import type { Missing } from './lists.ts'
import type { Owner } from './naming.ts'
import type { View } from './options.ts'
import { publicPrefix } from './public-name.ts'
import type { PublicationHost } from './publication-host.ts'
import { PublishedLists } from './published-lists.ts'
import { relayedCall } from './relayed-call.ts'
import { ResourceRouter } from './resource-router.ts'
import type { Root, RootListener } from './root.ts'
import { toClientError } from './to-client-error.ts'

const pageSize = 1000
/** Changes come in bursts; a list is read again once they have calmed down. */
const calm = 100

/** Everything that a view lets through, as one server with one space of names. */
export class AggregatePublication implements MessageHandler, RootListener {
  readonly #host: PublicationHost
  readonly #lists: PublishedLists
  readonly #resources: ResourceRouter
  readonly #listener: RootListener
  readonly #changed = new WeakMap<Root, Set<ListKind>>()

  /** What is said to its sessions outside a call goes to the listener: by default to itself. */
  constructor(host: PublicationHost, view: View, listener?: RootListener) {
    this.#host = host
    this.#listener = listener ?? this
    this.#lists = new PublishedLists(host, view, (root, kinds) => this.#onChange(root, kinds))
    this.#resources = new ResourceRouter(host, this.#lists)
  }

  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    const { method, params = {} } = message
    const root = this.#host.rootFor(context)
    root.listener = this.#listener
    if (!('id' in message)) return this.#onNotification(root, method, params, context)
    switch (method) {
      case 'tools/call':
        return this.#callNamed(root, 'tools', method, params, context)
      case 'prompts/get':
        return this.#callNamed(root, 'prompts', method, params, context)
      case 'tools/list':
        return this.#list(root, 'tools', params)
      case 'prompts/list':
        return this.#list(root, 'prompts', params)
      case 'resources/list':
        return this.#list(root, 'resources', params)
      case 'resources/templates/list':
        return this.#list(root, 'resourceTemplates', params)
      case 'resources/read':
        return this.#resources.read(root, params, context)
      case 'resources/subscribe':
        return this.#resources.subscribe(root, params, context)
      case 'resources/unsubscribe':
        return this.#resources.unsubscribe(root, params, context)
      case 'completion/complete':
        return this.#complete(root, params, context)
      case 'logging/setLevel':
        return this.#setLevel(root, params, context)
      case 'initialize':
        return this.#initialize(root, params)
      case 'ping':
        return {}
      default:
        throw new ProtocolError('METHOD_NOT_FOUND', `Method not found: ${method}`)
    }
  }

  onListChanged(root: Root, _server: string, kinds: readonly ListKind[]): void {
    this.#onChange(root, kinds)
  }

  onResourceUpdated(root: Root, server: string, params: JsonObject): void {
    const exposed = root.subscribedAs(server, String(params.uri))
    if (exposed === undefined) return
    root.session.notify('notifications/resources/updated', { ...params, uri: exposed })
  }

  onNotification(
    root: Root,
    _server: string,
    method: string,
    params: JsonObject | undefined,
  ): void {
    root.session.notify(method, params)
  }

  /** A list from memory may be out of date: read it again from the new connection, after what it was opened for. */
  onReady(root: Root, connection: Connection): void {
    if (connection.server.instant) return
    const kinds = [...root.shown.keys()]
    if (kinds.length === 0) return
    this.#host.clock.set(() => {
      if (connection.session.ending.cancelled) return
      Promise.all(kinds.map((kind) => connection.list(kind))).then(
        () => this.#onChange(root, kinds),
        () => {},
      )
    }, calm)
  }

  async #initialize(root: Root, params: JsonObject): Promise<JsonObject> {
    const instructions = await describeServers(this.#host, root, this.#lists.servers())
    return {
      protocolVersion: negotiateVersion(params.protocolVersion),
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      serverInfo: this.#host.info,
      ...(instructions === undefined ? {} : { instructions }),
    }
  }

  #callNamed(
    root: Root,
    kind: 'tools' | 'prompts',
    method: string,
    params: JsonObject,
    context: MessageContext,
  ): JsonObject | Promise<JsonObject> {
    const { name } = params
    if (typeof name !== 'string') {
      throw new ProtocolError(
        'INVALID_PARAMS',
        `Invalid params: "name" must be a string, received ${JSON.stringify(name) ?? 'nothing'}`,
      )
    }
    const owner = this.#lists.owner(root, kind, name, params)
    if (owner === undefined || owner instanceof Promise) {
      return this.#callLater(owner, root, kind, method, name, params, context)
    }
    return this.#relay(owner, method, params, context)
  }

  /** Where a list has to be read first. On its own, so that the others pay for no closure. */
  async #callLater(
    owner: Owner | undefined | Promise<Owner | undefined>,
    root: Root,
    kind: 'tools' | 'prompts',
    method: string,
    name: string,
    params: JsonObject,
    context: MessageContext,
  ): Promise<JsonObject> {
    const found = (await owner) ?? (await this.#find(root, kind, name, params, context))
    return await this.#relay(found, method, params, context)
  }

  /** Asks every server once more for a name that nobody is known to have. */
  async #find(
    root: Root,
    kind: 'tools' | 'prompts',
    name: string,
    params: JsonObject,
    { call }: MessageContext,
  ): Promise<Owner> {
    const { table, absent, signIns } = await this.#lists.refresh(root, kind, params)
    const found = table.owners.get(name)
    if (found) return found
    for (const [server, error] of signIns) {
      // It looks like one of its names, so that is what it takes to find out.
      if (!name.startsWith(publicPrefix(server))) continue
      throw toClientError({ root: root.session, origin: call.origin, depth: call.depth }, error)
    }
    throw unknownName(kind === 'tools' ? 'tool' : 'prompt', name, absent)
  }

  #relay(
    owner: Owner,
    method: string,
    params: JsonObject,
    context: MessageContext,
  ): JsonObject | Promise<JsonObject> {
    const { server, name } = owner
    const own = params.name === name ? params : { ...params, name }
    const call = relayedCall(this.#host, context, { server, method, name, params: own })
    return this.#host.dispatcher.dispatch(call)
  }

  async #list(root: Root, kind: ListKind, params: JsonObject): Promise<JsonObject> {
    const { entries, missing } = await this.#lists.show(root, kind, params)
    const result = page(listMethods[kind].member, entries, params, pageSize)
    if (missing.length > 0) result._meta = { 'mobius-mcp.dev/missing': missing.map(toReport) }
    return result
  }

  async #complete(root: Root, params: JsonObject, context: MessageContext): Promise<JsonObject> {
    const { ref } = params
    const method = 'completion/complete'
    if (isObject(ref) && ref.type === 'ref/prompt' && typeof ref.name === 'string') {
      const known = await this.#lists.owner(root, 'prompts', ref.name, params)
      const owner = known ?? (await this.#find(root, 'prompts', ref.name, params, context))
      const own = { ...params, ref: { ...ref, name: owner.name } }
      return await this.#sendTo(owner, method, own, context)
    }
    if (isObject(ref) && ref.type === 'ref/resource' && typeof ref.uri === 'string') {
      const owner = await this.#resources.ownerOfTemplate(root, ref.uri, params)
      const own = { ...params, ref: { ...ref, uri: owner.name } }
      return await this.#sendTo(owner, method, own, context)
    }
    throw new ProtocolError(
      'INVALID_PARAMS',
      `Invalid params: "ref" must be a prompt or resource reference, received ${JSON.stringify(ref) ?? 'nothing'}`,
    )
  }

  #sendTo(
    owner: Owner,
    method: string,
    params: JsonObject,
    context: MessageContext,
  ): JsonObject | Promise<JsonObject> {
    const to = { server: owner.server, method, name: owner.name, params }
    return this.#host.dispatcher.dispatch(relayedCall(this.#host, context, to))
  }

  #setLevel(root: Root, params: JsonObject, context: MessageContext): JsonObject {
    parseLoggingLevel(params.level)
    root.level = params
    const cause = causeOf(context, this.#host.configuration)
    for (const connection of root.connections.values()) {
      if (!connection.offers('logging')) continue
      const level = connection.levelFor(params)
      const aside = { root, connection, cause }
      askAside(this.#host, aside, 'logging/setLevel', level).catch((error: unknown) => {
        this.#host.onLog(connection.server.name, `logging/setLevel failed: ${reasonOf(error)}`)
      })
    }
    return {}
  }

  #onNotification(root: Root, method: string, params: JsonObject, context: MessageContext): void {
    if (method !== 'notifications/roots/list_changed') return
    const cause = causeOf(context, this.#host.configuration)
    for (const connection of root.connections.values()) {
      if (connection.server.sharing !== 'session') continue
      tellAside(this.#host, { root, connection, cause }, method, params)
    }
  }

  #onChange(root: Root, kinds: readonly ListKind[]): void {
    this.#lists.invalidate(root)
    const waiting = this.#changed.get(root)
    if (waiting) {
      for (const kind of kinds) waiting.add(kind)
      return
    }
    const changed = new Set(kinds)
    this.#changed.set(root, changed)
    this.#host.clock.set(() => {
      this.#changed.delete(root)
      if (!root.ended) void this.#announce(root, changed)
    }, calm)
  }

  /** Tells the client only of lists that it has seen and that read differently now. */
  async #announce(root: Root, kinds: ReadonlySet<ListKind>): Promise<void> {
    const methods = new Set<string>()
    for (const kind of kinds) {
      if (await this.#lists.reads(root, kind)) methods.add(listMethods[kind].changed)
    }
    for (const method of methods) root.session.notify(method)
  }
}

function toReport({ server, reason }: Missing): JsonObject {
  return { server, reason }
}
