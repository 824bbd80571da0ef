import {
  type Clock,
  isObject,
  type JsonObject,
  type ListKind,
  listMethods,
} from '@mobius-mcp/protocol'
import type { Catalog, CatalogEntry } from '@mobius-mcp/state'
import type { Connection } from './connection.ts'
import { declaredCapabilities } from './declared-capabilities.ts'
import { absenceOf, reasonOf } from './errors.ts'
import type { HookCause } from './hook-cause.ts'
import type { HookedMessages } from './hooked-messages.ts'
import type { Pool } from './pool.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'

type Items = readonly JsonObject[]

/** What several servers offer, and who did not answer. */
export interface Gathered {
  readonly lists: { readonly server: Server; readonly items: Items }[]
  readonly missing: Missing[]
}

/** A server that is not on a list, and why. */
export interface Missing {
  readonly server: string
  readonly reason: string
  /** Asking again would change nothing: it was kept out on purpose. */
  readonly refused?: boolean | undefined
}

/** What is asked of several servers, and how long whoever asks waits. */
export interface Gathering {
  readonly kind: ListKind
  /** In milliseconds. */
  readonly patience: number
  /** The gateways that the question came through. */
  readonly hops: readonly string[]
  /** What it is asked for, where there are hooks to see it. */
  readonly cause?: HookCause | undefined
  /** Told of each list as it comes. */
  onItems?(server: Server, items: Items): void
  /** Told when a server that was late has answered. */
  onLate?(server: Server): void
}

export interface ListsOptions {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly pool: Pool
  readonly messages: HookedMessages
  /** Whether servers are told that they may ask a model. */
  samples(): boolean
  onLog(server: string, line: string): void
}

/**
 * What each server offers to a root session: what its own connection said, else what the catalog
 * remembers, else what the server answers to the first who asks, once for everyone who waits.
 */
export class Lists {
  readonly #options: ListsOptions
  readonly #filling = new Map<string, Promise<Items>>()
  readonly #waiting = new WeakMap<Promise<Items>, Promise<Settled>>()
  readonly #saving = new Map<string, Promise<void>>()
  readonly #signatures = new WeakMap<JsonObject, string>()

  constructor(options: ListsOptions) {
    this.#options = options
  }

  /** A server's initialize result, where it is known without starting it. */
  async initializeOf(root: Root, server: Server): Promise<JsonObject | undefined> {
    const connection = root.connections.get(server.name)
    if (connection) return connection.peer.result
    const key = this.#key(server, declaredCapabilities(root.session, this.#options.samples()), root)
    return (await this.#recall(key, server))?.initialize
  }

  /**
   * The lists of several servers, within a bound. A server that fails or is late is missing by name
   * and reason.
   */
  gather(root: Root, servers: readonly Server[], asked: Gathering): Gathered | Promise<Gathered> {
    const found = servers.map((server) =>
      tell(asked, server, this.#hook(server, asked, this.#find(root, server, asked))),
    )
    if (!found.some((each) => each instanceof Promise)) return sort(servers, found as Settled[])
    return Promise.all(found).then((settled) => sort(servers, settled))
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

  /** Hooks see the list that a session is about to get, wherever it comes from. */
  #hook(
    server: Server,
    { cause, kind }: Gathering,
    found: Settled | Promise<Settled>,
  ): Settled | Promise<Settled> {
    if (!cause?.configuration.hooked) return found
    const { hooks } = cause.configuration
    const { method } = listMethods[kind]
    const isSeen =
      !hooks.for(server.name, method, 'request').empty ||
      !hooks.for(server.name, method, 'response').empty
    return isSeen ? this.#hookLater(server.name, cause, kind, found) : found
  }

  async #hookLater(
    server: string,
    cause: HookCause,
    kind: ListKind,
    found: Settled | Promise<Settled>,
  ): Promise<Settled> {
    const settled = await found
    if (!('items' in settled)) return settled
    const { method, member, name } = listMethods[kind]
    const passage = { cause, server, order: undefined }
    const answer = async (): Promise<JsonObject> => ({ [member]: settled.items })
    try {
      const { [member]: left } = await this.#options.messages.ask(passage, method, {}, answer)
      return left === settled.items ? settled : { items: named(left, name) }
    } catch (error) {
      return { reason: absenceOf(error), refused: true }
    }
  }

  /** One server's list; at once where it is known. */
  #find(root: Root, server: Server, asked: Gathering): Settled | Promise<Settled> {
    const { kind, patience, hops } = asked
    const connection = root.connections.get(server.name)
    if (connection && !connection.retired) {
      const items = connection.known(kind)
      return items ? { items } : this.#wait(connection.list(kind, hops), patience)
    }
    // Whoever shares a connection sees what that says now, and is told when it changes.
    if (server.instant || this.#options.pool.sharedBy(root, server)) {
      return this.#wait(this.#read(root, server, asked), patience)
    }
    const key = this.#key(server, declaredCapabilities(root.session, this.#options.samples()), root)
    const look = (entry: CatalogEntry | undefined) => {
      const items = listIn(entry, kind)
      return items ? { items } : this.#wait(this.#fill(key, root, server, asked), patience)
    }
    const entry = this.#recall(key, server)
    return entry instanceof Promise ? entry.then(look) : look(entry)
  }

  /**
   * Waits for a list that is being read, within a bound. All who ask for it wait together: whoever
   * comes after the bound is not held up again.
   */
  #wait(reading: Promise<Items>, patience: number): Promise<Settled> {
    const together = patience > 0
    const known = together ? this.#waiting.get(reading) : undefined
    const waiting = known ?? this.#within(reading, patience)
    if (together) this.#waiting.set(reading, waiting)
    return waiting
  }

  #within(reading: Promise<Items>, patience: number): Promise<Settled> {
    const { clock } = this.#options
    const late = `it did not answer within ${patience / 1000} s; it is still being asked`
    return new Promise((resolve) => {
      const timer = clock.set(() => resolve({ reason: late, late: reading }), patience)
      reading
        .then(
          (items) => resolve({ items }),
          (error: unknown) => resolve({ reason: absenceOf(error) }),
        )
        .finally(() => clock.clear(timer))
    })
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

type Settled =
  | { items: Items }
  | { reason: string; refused?: boolean }
  | { reason: string; late: Promise<Items> }

function tell(
  { onItems, onLate }: Gathering,
  server: Server,
  found: Settled | Promise<Settled>,
): Settled | Promise<Settled> {
  const told = (settled: Settled): Settled => {
    if ('items' in settled) onItems?.(server, settled.items)
    if ('late' in settled) {
      settled.late.then(
        () => onLate?.(server),
        () => {},
      )
    }
    return settled
  }
  return found instanceof Promise ? found.then(told) : told(found)
}

function sort(servers: readonly Server[], settled: readonly Settled[]): Gathered {
  const gathered: Gathered = { lists: [], missing: [] }
  servers.forEach((server, index) => {
    const each = settled[index]
    if (!each) return
    if ('items' in each) gathered.lists.push({ server, items: each.items })
    else {
      const { reason } = each
      const refused = 'refused' in each && each.refused
      gathered.missing.push({ server: server.name, reason, ...(refused && { refused }) })
    }
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

function named(list: unknown, name: string): Items {
  return (Array.isArray(list) ? list : []).filter(
    (item: unknown): item is JsonObject => isObject(item) && typeof item[name] === 'string',
  )
}
