import type { JsonObject } from '@mobius-mcp/protocol'
import { hopsOf, withoutHops } from './hops.ts'
import type { Gathered } from './lists.ts'
import { plainName, publicName } from './public-name.ts'
import type { Selection } from './refs.ts'
import type { Server } from './server.ts'

/** Where something that is shown outside lives inside. */
export interface Owner {
  readonly server: string
  /** The server's own name or URI for it. */
  readonly name: string
}

/** One published list: what is shown, and whose each thing is. */
export interface Table {
  readonly entries: readonly JsonObject[]
  readonly owners: ReadonlyMap<string, Owner>
  /** The gateways that each entry lies behind, in the order of the entries. */
  readonly hops: readonly (readonly string[])[]
  /** Names that were taken already, and what became of them. */
  readonly clashes: readonly string[]
}

/** Tools and prompts under their names outside. Looked up, never split. `instance` is this gateway. */
export function nameTable(gathered: Gathered, selection: Selection, instance: string): Table {
  const table = new TableBuilder()
  const named = [...itemsOf(gathered, instance)].flatMap(({ server, item, hops }) => {
    const owner = { server: server.name, name: String(item.name) }
    const wanted = wantedName(server, owner.name, selection)
    return wanted === undefined ? [] : [{ owner, wanted, item, hops }]
  })
  for (const { owner, wanted } of named) {
    if (wanted === publicName(owner.server, owner.name)) table.reserve(owner, wanted)
  }
  for (const { owner, wanted, item, hops } of named) {
    const free = table.take(owner, wanted, publicName(owner.server, owner.name))
    if (free === undefined) continue
    const description = selection.describe(owner.server, owner.name)
    const described = description === undefined ? item : { ...item, description }
    table.add({ ...described, name: free }, hops)
  }
  return table
}

/** The name that a thing is to have outside; `undefined` for what the view leaves out. */
export function wantedName(server: Server, name: string, selection: Selection): string | undefined {
  const selected = selection.select(server.name, name)
  if (!selected) return undefined
  return selected.alias ?? (server.plainNames ? plainName(name) : publicName(server.name, name))
}

/** Resources or templates under their own URIs; a URI that is taken already is wrapped. */
export function uriTable(
  gathered: Gathered,
  selection: Selection,
  member: 'uri' | 'uriTemplate',
  instance: string,
): Table {
  const wrap = member === 'uri' ? wrapUri : wrapTemplate
  const table = new TableBuilder()
  for (const { server, item, hops } of itemsOf(gathered, instance)) {
    const uri = String(item[member])
    if (!selection.select(server.name, uri)) continue
    const owner = { server: server.name, name: uri }
    const free = table.take(owner, uri, wrap(server.name, uri))
    if (free === undefined) continue
    table.add(free === uri ? item : { ...item, [member]: free }, hops)
  }
  return table
}

class TableBuilder implements Table {
  readonly entries: JsonObject[] = []
  readonly hops: (readonly string[])[] = []
  readonly owners: Map<string, Owner> = new Map<string, Owner>()
  readonly clashes: string[] = []
  readonly #reserved = new Map<string, Owner>()

  /** Keeps a name for whoever it is made of: whatever else joins, nothing else can take it. */
  reserve(owner: Owner, name: string): void {
    if (!this.#reserved.has(name)) this.#reserved.set(name, owner)
  }

  /** Gives the owner the wanted name, or the other one where that is taken; `undefined` where both are. */
  take(owner: Owner, wanted: string, otherwise: string): string | undefined {
    const isFree = (name: string) =>
      !this.owners.has(name) && (this.#reserved.get(name) ?? owner) === owner
    const free = [wanted, otherwise].find(isFree)
    if (free !== undefined) this.owners.set(free, owner)
    if (free === wanted) return free
    const outcome = free === undefined ? 'it is left out' : `it is shown as ${free}`
    this.clashes.push(
      `${owner.server}/${owner.name} cannot be named ${wanted}, which is taken: ${outcome}`,
    )
    return free
  }

  add(entry: JsonObject, hops: readonly string[]): void {
    this.entries.push(entry)
    this.hops.push(hops)
  }
}

/** Everything there is, but for what this gateway itself gave to one that gave it back. */
function* itemsOf(
  gathered: Gathered,
  instance: string,
): Generator<{ server: Server; item: JsonObject; hops: readonly string[] }> {
  for (const { server, items } of gathered.lists) {
    for (const item of items) {
      const hops = hopsOf(item)
      if (!hops.includes(instance)) yield { server, item: withoutHops(item), hops }
    }
  }
}

const wrapping = 'mobius:///'

/** A URI that two servers have, made one server's. */
function wrapUri(server: string, uri: string): string {
  return `${wrapping}${encodeURIComponent(server)}/${encodeURIComponent(uri)}`
}

/** The same for a template. Not encoded: what it expands to must be what is wrapped. */
function wrapTemplate(server: string, template: string): string {
  return `${wrapping}${encodeURIComponent(server)}/${template}`
}

/** Whose a wrapped URI is; `undefined` for every other URI. */
export function unwrapUri(uri: string): Owner | undefined {
  const match = uri.startsWith(wrapping)
    ? /^([^/]+)\/(.+)$/s.exec(uri.slice(wrapping.length))
    : null
  const [, server = '', wrapped = ''] = match ?? []
  if (server === '') return undefined
  try {
    // An encoded URI has no colon; one that a template expanded to has.
    const name = wrapped.includes(':') ? wrapped : decodeURIComponent(wrapped)
    return { server: decodeURIComponent(server), name }
  } catch {
    return undefined
  }
}
