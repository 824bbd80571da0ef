import { fileURLToPath } from 'node:url'
import type BetterSqlite3 from 'better-sqlite3'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { StoreError } from './errors.ts'

/** `mobi`: says that a SQLite file is ours. */
const applicationId = 0x6d6f6269
const table = '__drizzle_migrations'

/** What a database is to this program. */
type Standing = 'empty' | 'older' | 'current' | 'newer' | 'foreign'

/** The migrations that this program knows, the first one first. */
export function readMigrations(): readonly MigrationMeta[] {
  // The same from `src` and from `dist`.
  const folder = fileURLToPath(new URL('../migrations', import.meta.url))
  return readMigrationFiles({ migrationsFolder: folder })
}

function inspect(sqlite: BetterSqlite3.Database, migrations: readonly MigrationMeta[]): Standing {
  const tables = sqlite.prepare('select count(*) from sqlite_schema').pluck().get()
  if (tables === 0) return 'empty'
  if (sqlite.pragma('application_id', { simple: true }) !== applicationId) return 'foreign'
  const applied = sqlite.prepare(`select hash from ${table}`).pluck().all()
  const known = new Set<unknown>(migrations.map(({ hash }) => hash))
  if (applied.some((hash) => !known.has(hash))) return 'newer'
  return applied.length < migrations.length ? 'older' : 'current'
}

/**
 * Brings a database to what this program knows, whole or not at all. Drizzle's own migrator lets
 * two processes that start at once get in each other's way, and takes a newer database for its own.
 *
 * @throws StoreError `STORE_NEWER` or `STORE_FOREIGN`, and then nothing was changed.
 */
export function migrate(
  sqlite: BetterSqlite3.Database,
  migrations: readonly MigrationMeta[] = readMigrations(),
): void {
  if (accept(sqlite, migrations) === 'current') return
  sqlite
    .transaction(() => {
      // Another process may have been quicker.
      if (accept(sqlite, migrations) === 'current') return
      sqlite.pragma(`application_id = ${applicationId}`)
      sqlite.exec(
        `create table if not exists ${table} (id integer primary key, hash text not null, created_at numeric)`,
      )
      const applied = new Set(sqlite.prepare(`select hash from ${table}`).pluck().all())
      const record = sqlite.prepare(`insert into ${table} (hash, created_at) values (?, ?)`)
      for (const { hash, folderMillis, sql } of migrations) {
        if (applied.has(hash)) continue
        for (const statement of sql) sqlite.exec(statement)
        record.run(hash, folderMillis)
      }
    })
    .immediate()
}

/**
 * Looks at a database, and changes nothing.
 *
 * @throws StoreError `STORE_NEWER` or `STORE_FOREIGN`.
 */
export function accept(
  sqlite: BetterSqlite3.Database,
  migrations: readonly MigrationMeta[],
): Standing {
  const standing = inspect(sqlite, migrations)
  if (standing === 'newer') throw new StoreError('STORE_NEWER', sqlite.name)
  if (standing === 'foreign') throw new StoreError('STORE_FOREIGN', sqlite.name)
  return standing
}
