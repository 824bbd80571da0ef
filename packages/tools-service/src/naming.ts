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
  for (const { server, item, hops } of itemsOf(gathered, instance)) {
    const name = String(item.name)
    const selected = selection.select(server.name, name)
    if (!selected) continue
    const qualified = publicName(server.name, name)
    const wanted = selected.alias ?? (server.plainNames ? plainName(name) : qualified)
    const free = table.take({ server: server.name, name }, wanted, qualified)
    if (free === undefined) continue
    const description = selection.describe(server.name, name)
    const described = description === undefined ? item : { ...item, description }
    table.add({ ...described, name: free }, hops)
  }
  return table
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

  /** Gives the owner the wanted name, or the other one where that is taken; `undefined` where both are. */
  take(owner: Owner, wanted: string, otherwise: string): string | undefined {
    const free = [wanted, otherwise].find((each) => !this.owners.has(each))
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
export function wrapUri(server: string, uri: string): string {
  return `${wrapping}${encodeURIComponent(server)}/${encodeURIComponent(uri)}`
}

/** The same for a template. Not encoded: what it expands to must be what is wrapped. */
export function wrapTemplate(server: string, template: string): string {
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
