import {
  isObject,
  type JsonObject,
  type ListKind,
  listMethods,
  ProtocolError,
} from '@mobius-mcp/protocol'
import { hopsOf } from './hops.ts'
import type { Gathered } from './lists.ts'
import { nameTable, type Table, uriTable } from './naming.ts'
import type { View } from './options.ts'
import { compileView, type Selection } from './refs.ts'
import type { Root } from './root.ts'
import type { Server } from './server.ts'
import type { PublicationHost } from './service.ts'

type Missing = Gathered['missing']

interface Shown {
  readonly table: Table
  readonly missing: Missing
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
  readonly #known = new WeakMap<Root, { generation: number; shown: Map<ListKind, Shown> }>()
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
    return { entries: table.entries, missing }
  }

  /** Connects to every server that the session has not seen itself, and lists again. */
  async refresh(root: Root, kind: ListKind, params: JsonObject): Promise<Table> {
    const strangers = this.servers().filter((server) => !root.connections.has(server.name))
    if (strangers.length > 0 && hopsOf(params).length === 0) {
      await this.#within(
        strangers.map(async (server) => {
          const connection = await this.#host.open(root, server)
          await connection.list(kind)
        }),
      )
    }
    this.invalidate(root)
    return (await this.#compile(root, kind, params)).table
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
    this.#known.delete(root)
  }

  /** The error for a name that nobody has, which also says who could not be asked. */
  unknown(root: Root, kind: 'tools' | 'prompts', name: string): ProtocolError {
    const missing = this.#knownOf(root).shown.get(kind)?.missing ?? []
    const rest = missing.map(({ server, reason }) => `${server} (${reason})`).join(', ')
    const hint = rest === '' ? '' : `. Not asked, because they are not available: ${rest}`
    const what = kind === 'tools' ? 'tool' : 'prompt'
    return new ProtocolError('INVALID_PARAMS', `Unknown ${what}: ${name}${hint}`)
  }

  #compile(root: Root, kind: ListKind, params: JsonObject): Shown | Promise<Shown> {
    // A list that came through this gateway already must not wait for itself.
    const patience = hopsOf(params).includes(this.#host.instance) ? 0 : this.#host.listTimeout
    const onLate = () => this.#onLate(root, [kind])
    const gathered = this.#host.lists.gather(root, this.servers(), kind, patience, onLate)
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
    waiting.add(kind)
    const delays = missing.map(({ server }) => this.#host.retryDelay(server))
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
    const member = listMethods[kind].name
    const named = kind === 'tools' || kind === 'prompts'
    const table = named
      ? nameTable(gathered, this.#selection)
      : uriTable(gathered, this.#selection, member)
    for (const clash of table.clashes) this.#host.onLog('', clash)
    kept.unshift({ gathered, table })
    kept.length = Math.min(kept.length, keptTables)
    return table
  }

  #knownOf(root: Root): { generation: number; shown: Map<ListKind, Shown> } {
    const { generation } = this.#host
    let known = this.#known.get(root)
    if (known?.generation !== generation) {
      known = { generation, shown: new Map() }
      this.#known.set(root, known)
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
