import {
  type AuthNeededError,
  isAuthNeeded,
  isObject,
  type JsonObject,
  type ListKind,
} from '@mobius-mcp/protocol'
import { absenceOf } from './errors.ts'
import { rootCause } from './hook-cause.ts'
import { hopsOf, noHops, withHops } from './hops.ts'
import type { Gathered } from './lists.ts'
import { nameTable, type Owner, type Table, uriTable, wantedName } from './naming.ts'
import type { View } from './options.ts'
import { publicName } from './public-name.ts'
import type { PublicationHost } from './publication-host.ts'
import { compileView, type Selection } from './refs.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'

type Missing = Gathered['missing']

interface Shown {
  readonly table: Table
  readonly missing: Missing
}

/** The tables of one session, as of one view and one generation of servers. */
export interface PublishedTables {
  readonly of: object
  readonly generation: number
  readonly shown: Map<ListKind, Shown>
}

/** A table, and which servers could not be asked for it. */
export interface Refreshed {
  readonly table: Table
  /** Why not, by server. */
  readonly absent: ReadonlyMap<string, string>
  /** Those among them to which somebody has to sign in. */
  readonly signIns: ReadonlyMap<string, AuthNeededError>
}

/** How many compiled tables of one kind are kept for other sessions with the same lists. */
const keptTables = 8
const shortestRetry = 1000

/** The lists of one view, compiled to tables that sessions with the same lists share. */
export class PublishedLists {
  readonly #host: PublicationHost
  readonly #selection: Selection
  readonly #onLate: (root: Root, kinds: readonly ListKind[]) => void
  readonly #compiled = new Map<ListKind, { gathered: Gathered; table: Table }[]>()
  readonly #waiting = new WeakMap<Root, Set<ListKind>>()
  #servers: { generation: number; list: readonly Server[] } | undefined

  constructor(
    host: PublicationHost,
    view: View,
    onLate: (root: Root, kinds: readonly ListKind[]) => void,
  ) {
    this.#host = host
    this.#selection = compileView(view)
    this.#onLate = onLate
  }

  /** The servers of which the view may let something through. */
  servers(): readonly Server[] {
    const { generation } = this.#host
    if (this.#servers?.generation !== generation) {
      const list = this.#host
        .servers()
        .filter((server) => server.visibility === 'published' && !server.disabled)
        .filter((server) => this.#selection.server(server.name))
      this.#servers = { generation, list }
    }
    return this.#servers.list
  }

  /** The session's table: at once where it is known, complete or not. */
  table(root: Root, kind: ListKind, params: JsonObject): Table | Promise<Table> {
    const known = this.#knownOf(root).shown.get(kind)
    if (known) return known.table
    const shown = this.#compile(root, kind, params)
    return shown instanceof Promise ? shown.then(({ table }) => table) : shown.table
  }

  /** Whose a name is: as soon as that is certain, whoever else has not answered yet. */
  owner(
    root: Root,
    kind: 'tools' | 'prompts',
    name: string,
    params: JsonObject,
  ): Owner | undefined | Promise<Owner | undefined> {
    const known = this.#knownOf(root).shown.get(kind)
    if (known) return known.table.owners.get(name)
    const certain = Promise.withResolvers<Owner>()
    const table = this.#compile(root, kind, params, (server, items) => {
      const own = items.find((item) => this.#isCertain(server, item, name))
      if (own) certain.resolve({ server: server.name, name: String(own.name) })
    })
    if (!(table instanceof Promise)) return table.table.owners.get(name)
    return Promise.race([certain.promise, table.then((shown) => shown.table.owners.get(name))])
  }

  /** What the client gets to see; remembered, so that it is told when that changes. */
  async show(
    root: Root,
    kind: ListKind,
    params: JsonObject,
  ): Promise<{ entries: readonly JsonObject[]; missing: Missing }> {
    const known = this.#knownOf(root).shown.get(kind)
    const complete = known && known.missing.length === 0 ? known : undefined
    const { table, missing } = complete ?? (await this.#compile(root, kind, params))
    root.shown.set(kind, table.entries)
    this.#host.follow(root)
    return { entries: this.#toGateways(table, params), missing }
  }

  /**
   * Connects to every server and reads its list again, however well it is known. Resolves with the
   * table, and who could not be asked.
   */
  async refresh(root: Root, kind: ListKind, params: JsonObject): Promise<Refreshed> {
    const absent = new Map<string, string>()
    const signIns = new Map<string, AuthNeededError>()
    // A search that came through other gateways is theirs to bound.
    if (hopsOf(params).length === 0) {
      const read = async (server: Server) => {
        try {
          await (await this.#host.open(root, server)).read(kind)
        } catch (error) {
          absent.set(server.name, absenceOf(error))
          if (isAuthNeeded(error)) signIns.set(server.name, error)
        }
      }
      await this.#within(this.servers().map(read))
    }
    this.invalidate(root)
    const { table, missing } = await this.#compile(root, kind, params)
    for (const { server, reason } of missing) absent.set(server, reason)
    return { table, absent, signIns }
  }

  /** Whether the list reads differently from what the client was last shown. */
  async reads(root: Root, kind: ListKind): Promise<boolean> {
    const before = root.shown.get(kind)
    if (!before) return false
    const { table } = await this.#compile(root, kind, {})
    if (sameItems(before, table.entries)) return false
    root.shown.set(kind, table.entries)
    return true
  }

  invalidate(root: Root): void {
    root.published = undefined
  }

  /** Whether the view lets a thing through that is on no list. */
  includes(server: string, name: string): boolean {
    const known = this.servers().some((each) => each.name === server)
    return known && this.#selection.select(server, name) !== undefined
  }

  /** Whether the view keeps a thing out by name, even where something else would lead to it. */
  excludes(server: string, name: string): boolean {
    return this.#selection.excludes(server, name)
  }

  /** What is given to another gateway says which gateways it lies behind. */
  #toGateways(table: Table, params: JsonObject): readonly JsonObject[] {
    if (hopsOf(params).length === 0) return table.entries
    const { instance } = this.#host
    return table.entries.map((entry, index) =>
      withHops(entry, [...(table.hops[index] ?? noHops), instance]),
    )
  }

  /** Names that are made of server and name cannot be taken by anything else. */
  #isCertain(server: Server, item: JsonObject, name: string): boolean {
    const own = String(item.name)
    return (
      publicName(server.name, own) === name &&
      wantedName(server, own, this.#selection) === name &&
      !hopsOf(item).includes(this.#host.instance)
    )
  }

  #compile(
    root: Root,
    kind: ListKind,
    params: JsonObject,
    onItems?: (server: Server, items: readonly JsonObject[]) => void,
  ): Shown | Promise<Shown> {
    const hops = hopsOf(params)
    // A list that came through this gateway already must not wait for itself.
    const patience = hops.includes(this.#host.instance) ? 0 : this.#host.listTimeout
    const onLate = () => this.#onLate(root, [kind])
    const { configuration } = this.#host
    const cause = configuration.hooked ? rootCause(root, configuration) : undefined
    const asked = { kind, patience, hops, cause, onLate, ...(onItems && { onItems }) }
    const gathered = this.#host.lists.gather(root, this.servers(), asked)
    if (gathered instanceof Promise) return gathered.then((all) => this.#keep(root, kind, all))
    return this.#keep(root, kind, gathered)
  }

  #keep(root: Root, kind: ListKind, gathered: Gathered): Shown {
    const shown = { table: this.#tableOf(kind, gathered), missing: gathered.missing }
    this.#knownOf(root).shown.set(kind, shown)
    if (gathered.missing.length > 0) this.#tryAgain(root, kind, gathered.missing)
    return shown
  }

  /** What is missing is asked for again as soon as its server may be started again. */
  #tryAgain(root: Root, kind: ListKind, missing: Missing): void {
    let waiting = this.#waiting.get(root)
    if (!waiting) {
      waiting = new Set()
      this.#waiting.set(root, waiting)
    }
    if (waiting.has(kind) || root.ended) return
    const delays = missing
      .filter(({ refused }) => !refused)
      .map(({ server }) => this.#host.retryDelay(server))
      .filter((delay) => delay !== Number.POSITIVE_INFINITY)
    if (delays.length === 0) return
    waiting.add(kind)
    this.#host.clock.set(
      () => {
        this.#waiting.get(root)?.delete(kind)
        if (!root.ended) this.#onLate(root, [kind])
      },
      Math.max(shortestRetry, Math.min(...delays)),
    )
  }

  #tableOf(kind: ListKind, gathered: Gathered): Table {
    let kept = this.#compiled.get(kind)
    if (!kept) {
      kept = []
      this.#compiled.set(kind, kept)
    }
    const known = kept.find((each) => sameLists(each.gathered, gathered))
    if (known) return known.table
    const { instance } = this.#host
    const table =
      kind === 'tools' || kind === 'prompts'
        ? nameTable(gathered, this.#selection, instance)
        : uriTable(
            gathered,
            this.#selection,
            kind === 'resources' ? 'uri' : 'uriTemplate',
            instance,
          )
    for (const clash of table.clashes) this.#host.onLog('', clash)
    kept.unshift({ gathered, table })
    kept.length = Math.min(kept.length, keptTables)
    return table
  }

  #knownOf(root: Root): PublishedTables {
    const { generation } = this.#host
    let known = root.published
    if (known?.generation !== generation || known.of !== this) {
      known = { of: this, generation, shown: new Map() }
      root.published = known
    }
    return known
  }

  async #within(work: Promise<unknown>[]): Promise<void> {
    const { clock, listTimeout } = this.#host
    let timer: unknown
    const bound = new Promise<void>((resolve) => {
      timer = clock.set(resolve, listTimeout)
    })
    await Promise.race([Promise.allSettled(work), bound])
    clock.clear(timer)
  }
}

function sameLists(left: Gathered, right: Gathered): boolean {
  return (
    left.lists.length === right.lists.length &&
    left.lists.every(({ server, items }, index) => {
      const other = right.lists[index]
      return other?.server === server && sameRefs(items, other.items)
    })
  )
}

function sameRefs(left: readonly JsonObject[], right: readonly JsonObject[]): boolean {
  if (left === right) return true
  return left.length === right.length && left.every((item, index) => item === right[index])
}

function sameItems(left: readonly JsonObject[], right: readonly JsonObject[]): boolean {
  if (left.length !== right.length) return false
  return left.every((item, index) => {
    const other = right[index]
    return item === other || (isObject(other) && JSON.stringify(item) === JSON.stringify(other))
  })
}
