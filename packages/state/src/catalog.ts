import type { JsonObject, ListKind } from '@mobius-mcp/protocol'

/** What a server offers, as it said when it was last asked. Never changed once handed over. */
export interface CatalogEntry {
  /** Its initialize result. */
  readonly initialize: JsonObject
  /** Its lists, drained. A kind that it does not have is absent. */
  readonly lists: Readonly<Partial<Record<ListKind, readonly JsonObject[]>>>
  /** When it was asked: milliseconds since the epoch. */
  readonly at: number
}

/**
 * What is known of servers without starting them. The key says all that the answer depends on:
 * server, resolved configuration, the capabilities declared to it, and who signed in. An entry is a
 * memory, not a fact: it may be gone at any time, and then the server is asked again.
 */
export interface Catalog {
  get(key: string): CatalogEntry | undefined | Promise<CatalogEntry | undefined>
  set(key: string, entry: CatalogEntry): void | Promise<void>
  delete(key: string): void | Promise<void>
}
