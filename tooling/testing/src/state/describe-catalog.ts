import type { CatalogEntry } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../test-clock.ts'
import type { OpenPlace } from './place.ts'

/** Whatever a catalog is kept in, this holds. */
export function describeCatalog(name: string, open: OpenPlace): void {
  describe(`the catalog in ${name}`, () => {
    test('an entry is found under its key alone, until it is replaced or deleted', async () => {
      await using place = await open(createTestClock())
      const { catalog } = place.state
      await catalog.set('a', entryOf('a'))
      expect(await catalog.get('a')).toEqual(entryOf('a'))
      expect(await catalog.get('b')).toBeUndefined()
      await catalog.set('a', entryOf('other'))
      expect(await catalog.get('a')).toEqual(entryOf('other'))
      await catalog.delete('a')
      await catalog.delete('never there')
      expect(await catalog.get('a')).toBeUndefined()
    })

    test('any text is a key', async () => {
      await using place = await open(createTestClock())
      const { catalog } = place.state
      expect(await catalog.get('__proto__')).toBeUndefined()
      await catalog.set('__proto__', entryOf('p'))
      expect(await catalog.get('__proto__')).toEqual(entryOf('p'))
      expect(await catalog.get('constructor')).toBeUndefined()
    })
  })
}

/** What a server of this name would have said. */
function entryOf(name: string): CatalogEntry {
  return {
    initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name } },
    lists: { tools: [{ name: `${name}-tool`, annotations: { readOnlyHint: false }, extra: null }] },
    at: 1000,
  }
}
