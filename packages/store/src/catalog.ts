import type { Catalog, CatalogEntry } from '@mobius-mcp/state'
import { desc, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { catalog } from './schema.ts'

/** How many entries are kept; the oldest go first. */
const max = 2000

export function createStoredCatalog({ statements, atomically }: Database): Catalog {
  const { placeholder } = sql
  const ofKey = eq(catalog.key, placeholder('key'))
  const find = statements.select().from(catalog).where(ofKey).prepare()
  const remove = statements.delete(catalog).where(ofKey).prepare()
  const put = statements
    .insert(catalog)
    .values({ key: placeholder('key'), entry: placeholder('entry'), at: placeholder('at') })
    .onConflictDoUpdate({
      target: catalog.key,
      set: { entry: sql`excluded.entry`, at: sql`excluded.at` },
    })
    .prepare()
  const surplus = statements
    .select({ key: catalog.key })
    .from(catalog)
    .orderBy(desc(catalog.at))
    // SQLite knows no offset without a limit.
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(max)
  const bound = statements.delete(catalog).where(inArray(catalog.key, surplus)).prepare()
  return {
    async get(key) {
      const row = find.get({ key })
      // Nothing but this writes it.
      return row && (JSON.parse(row.entry) as CatalogEntry)
    },
    async set(key, entry) {
      atomically(() => {
        put.run({ key, entry: JSON.stringify(entry), at: entry.at })
        bound.run()
      })
    },
    async delete(key) {
      remove.run({ key })
    },
  }
}
