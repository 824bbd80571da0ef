import {
  type Clock,
  isObject,
  type JsonObject,
  type ListKind,
  listMethods,
} from '@mobius-mcp/protocol'
import type { Catalog, CatalogEntry } from '@mobius-mcp/state'
import type { Connection } from './connection.ts'
import { absenceOf, reasonOf } from './errors.ts'
import { capabilitiesOf } from './open-connection.ts'
import type { Pool } from './pool.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'

type Items = readonly JsonObject[]

/** What several servers offer, and who did not answer. */
export interface Gathered {
  readonly lists: { readonly server: Server; readonly items: Items }[]
  readonly missing: { readonly server: string; readonly reason: string }[]
}

/** What is asked of several servers, and how long whoever asks waits. */
export interface Gathering {
  readonly kind: ListKind
  /** In milliseconds. */
  readonly patience: number
  /** The gateways that the question came through. */
  readonly hops: readonly string[]
  /** Told when a server that was late has answered. */
  onLate?(server: Server): void
}

export interface ListsOptions {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly pool: Pool
  onLog(server: string, line: string): void
}

/**
 * What each server offers to a root session: what its own connection said, else what the catalog
 * remembers, else what the server answers to the first who asks, once for everyone who waits.
 */
export class Lists {
  readonly #options: ListsOptions
  readonly #filling = new Map<string, Promise<Items>>()
  readonly #saving = new Map<string, Promise<void>>()
  readonly #signatures = new WeakMap<JsonObject, string>()

  constructor(options: ListsOptions) {
    this.#options = options
  }

  /** One server's list; at once where it is known. */
  get(root: Root, server: Server, asked: Gathering): Items | Promise<Items> {
    const { kind, hops } = asked
    const connection = root.connections.get(server.name)
    if (connection && !connection.retired)
      return connection.known(kind) ?? connection.list(kind, hops)
    if (server.instant) return this.#read(root, server, asked)
    const key = this.#key(server, capabilitiesOf(root.session), root)
    const entry = this.#recall(key, server)
    if (!(entry instanceof Promise)) {
      return listIn(entry, kind) ?? this.#fill(key, root, server, asked)
    }
    return entry.then((found) => listIn(found, kind) ?? this.#fill(key, root, server, asked))
  }

  /** A server's initialize result, where it is known without starting it. */
  async initializeOf(root: Root, server: Server): Promise<JsonObject | undefined> {
    const connection = root.connections.get(server.name)
    if (connection) return connection.peer.result
    const key = this.#key(server, capabilitiesOf(root.session), root)
    return (await this.#recall(key, server))?.initialize
  }

  /**
   * The lists of several servers, within a bound. A server that fails or is late is missing by name
   * and reason.
   */
  gather(root: Root, servers: readonly Server[], asked: Gathering): Gathered | Promise<Gathered> {
    const found = servers.map((server) => attempt(() => this.get(root, server, asked)))
    if (!found.some((each) => each instanceof Promise)) {
      return sort(servers, found as Settled[])
    }
    return this.#settle(servers, found, asked)
  }

  /** Keeps a connection's first list for all who come after. */
  remember(connection: Connection, root: Root | undefined, kind: ListKind, items: Items): void {
    const { server } = connection
    if (server.instant) return
    const key = this.#key(server, connection.capabilities, root)
    const save = async () => {
      const { catalog, clock } = this.#options
      const known = await catalog.get(key)
      await catalog.set(key, {
        initialize: connection.peer.result ?? {},
        lists: { ...known?.lists, [kind]: items },
        at: clock.now(),
      })
    }
    // One after the other, or one kind would be written over another.
    const before = this.#saving.get(key) ?? Promise.resolve()
    const saving = before.then(save).catch((error: unknown) => {
      this.#options.onLog(server.name, `The catalog could not be written: ${reasonOf(error)}`)
    })
    this.#saving.set(key, saving)
    void saving.then(() => {
      if (this.#saving.get(key) === saving) this.#saving.delete(key)
    })
  }

  async #settle(
    servers: readonly Server[],
    found: (Settled | Promise<Settled>)[],
    { patience, onLate }: Gathering,
  ): Promise<Gathered> {
    const { clock } = this.#options
    let timer: unknown
    let waiting = true
    const bound = new Promise<Settled>((resolve) => {
      const late = `it did not answer within ${patience / 1000} s; it is still being asked`
      timer = clock.set(() => resolve({ reason: late }), patience)
    })
    const settled = await Promise.all(
      found.map((each, index) => {
        if (!(each instanceof Promise)) return each
        const server = servers[index]
        const told = each.then((result) => {
          if (!waiting && 'items' in result && server) onLate?.(server)
          return result
        })
        return Promise.race([told, bound])
      }),
    )
    waiting = false
    clock.clear(timer)
    return sort(servers, settled)
  }

  /** A catalog that fails has forgotten. */
  #recall(
    key: string,
    server: Server,
  ): CatalogEntry | undefined | Promise<CatalogEntry | undefined> {
    const onFailure = (error: unknown): undefined => {
      this.#options.onLog(server.name, `The catalog could not be read: ${reasonOf(error)}`)
    }
    try {
      const entry = this.#options.catalog.get(key)
      return entry instanceof Promise ? entry.catch(onFailure) : entry
    } catch (error) {
      return onFailure(error)
    }
  }

  #fill(key: string, root: Root, server: Server, asked: Gathering): Promise<Items> {
    const once = `${key}\0${asked.kind}`
    let filling = this.#filling.get(once)
    if (!filling) {
      filling = this.#read(root, server, asked).finally(() => this.#filling.delete(once))
      this.#filling.set(once, filling)
    }
    return filling
  }

  async #read(root: Root, server: Server, { kind, hops }: Gathering): Promise<Items> {
    const connection = await this.#options.pool.open(root, server, { hops })
    return connection.known(kind) ?? (await connection.list(kind, hops))
  }

  #key(server: Server, capabilities: JsonObject, root: Root | undefined): string {
    if (server.sharing === 'process') return server.identity
    if (server.sharing === 'principal') {
      const { issuer = '', id = '' } = root?.principal ?? {}
      return `${server.identity}\0${issuer}\0${id}`
    }
    let signature = this.#signatures.get(capabilities)
    if (signature === undefined) {
      signature = JSON.stringify(capabilities)
      this.#signatures.set(capabilities, signature)
    }
    return `${server.identity}\0${signature}`
  }
}

type Settled = { items: Items } | { reason: string }

function attempt(read: () => Items | Promise<Items>): Settled | Promise<Settled> {
  try {
    const items = read()
    if (!(items instanceof Promise)) return { items }
    return items.then(
      (read) => ({ items: read }),
      (error: unknown) => ({ reason: absenceOf(error) }),
    )
  } catch (error) {
    return { reason: absenceOf(error) }
  }
}

function sort(servers: readonly Server[], settled: readonly Settled[]): Gathered {
  const gathered: Gathered = { lists: [], missing: [] }
  servers.forEach((server, index) => {
    const each = settled[index]
    if (!each) return
    if ('items' in each) gathered.lists.push({ server, items: each.items })
    else gathered.missing.push({ server: server.name, reason: each.reason })
  })
  return gathered
}

function listIn(entry: CatalogEntry | undefined, kind: ListKind): Items | undefined {
  if (!entry) return undefined
  const capabilities = entry.initialize.capabilities
  const { capability } = listMethods[kind]
  if (isObject(capabilities) && !isObject(capabilities[capability])) return []
  return entry.lists[kind]
}
