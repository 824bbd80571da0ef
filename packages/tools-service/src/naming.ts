import type { JsonObject } from '@mobius-mcp/protocol'
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
  /** Names that were taken already, and what became of them. */
  readonly clashes: readonly string[]
}

/** Tools and prompts under their names outside. Looked up, never split. */
export function nameTable(gathered: Gathered, selection: Selection): Table {
  const table = new TableBuilder()
  for (const { server, item } of itemsOf(gathered)) {
    const name = String(item.name)
    const selected = selection.select(server.name, name)
    if (!selected) continue
    const qualified = publicName(server.name, name)
    const wanted = selected.alias ?? (server.plainNames ? plainName(name) : qualified)
    const free = table.take({ server: server.name, name }, wanted, qualified)
    if (free === undefined) continue
    const description = selection.describe(server.name, name)
    const described = description === undefined ? item : { ...item, description }
    table.entries.push({ ...described, name: free })
  }
  return table
}

/** Resources or templates under their own URIs; a URI that is taken already is wrapped. */
export function uriTable(gathered: Gathered, selection: Selection, member: string): Table {
  const table = new TableBuilder()
  for (const { server, item } of itemsOf(gathered)) {
    const uri = String(item[member])
    if (!selection.select(server.name, uri)) continue
    const owner = { server: server.name, name: uri }
    const free = table.take(owner, uri, wrapUri(server.name, uri))
    if (free === undefined) continue
    table.entries.push(free === uri ? item : { ...item, [member]: free })
  }
  return table
}

class TableBuilder implements Table {
  readonly entries: JsonObject[] = []
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
}

function* itemsOf(gathered: Gathered): Generator<{ server: Server; item: JsonObject }> {
  for (const { server, items } of gathered.lists) {
    for (const item of items) yield { server, item }
  }
}

const wrapping = 'mobius:///'

/** A URI that two servers have, made one server's. */
export function wrapUri(server: string, uri: string): string {
  return `${wrapping}${encodeURIComponent(server)}/${encodeURIComponent(uri)}`
}

/** Whose a wrapped URI is; `undefined` for every other URI. */
export function unwrapUri(uri: string): Owner | undefined {
  if (!uri.startsWith(wrapping)) return undefined
  const [server, name, ...rest] = uri.slice(wrapping.length).split('/')
  if (!server || !name || rest.length > 0) return undefined
  try {
    return { server: decodeURIComponent(server), name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}
