import type { Catalog, CatalogEntry } from './catalog.ts'

export interface MemoryCatalogOptions {
  /** How many entries are kept; the one not used for longest goes first. 1,000 by default. */
  readonly max?: number | undefined
}

/** A catalog that answers at once, and forgets with the process. */
export interface MemoryCatalog extends Catalog {
  get(key: string): CatalogEntry | undefined
  set(key: string, entry: CatalogEntry): void
  delete(key: string): void
}

/** Makes a catalog in memory, bounded by number of entries. */
export function createMemoryCatalog(options: MemoryCatalogOptions = {}): MemoryCatalog {
  const { max = 1000 } = options
  // A Map keeps the order of insertion: what was used last is put in again, at the end.
  const entries = new Map<string, CatalogEntry>()
  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    set(key, entry) {
      entries.delete(key)
      entries.set(key, entry)
      if (entries.size <= max) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    },
    delete(key) {
      entries.delete(key)
    },
  }
}
