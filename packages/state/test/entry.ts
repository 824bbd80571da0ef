import type { CatalogEntry } from '../src/index.ts'

/** What a server of this name would have said. */
export function entryOf(name: string): CatalogEntry {
  return {
    initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name } },
    lists: { tools: [{ name: `${name}-tool`, annotations: { readOnlyHint: false }, extra: null }] },
    at: 1000,
  }
}
