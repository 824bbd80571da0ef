import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { StoreError } from './errors.ts'
import { accept, migrate, readMigrations } from './migrate.ts'

/** An open database. */
export interface Database {
  /** Builds statements; each part prepares its own, once. */
  readonly statements: BetterSQLite3Database
  /**
   * Does several things as one. It is the only writer from its beginning, so that what it read
   * stays true until it has written.
   */
  atomically<T>(work: () => T): T
  close(): void
}

/** For how long one process waits for another that writes, in milliseconds. */
const patience = 5000

/**
 * Opens the file, readable by its owner alone; makes and migrates it where that is needed.
 *
 * @throws StoreError
 */
export function openDatabase(file: string): Database {
  let sqlite: BetterSqlite3.Database | undefined
  try {
    makeFile(file)
    look(file)
    sqlite = new BetterSqlite3(file, { timeout: patience })
    // Before anything is written, the mode of its journal included.
    migrate(sqlite)
    sqlite.pragma('journal_mode = WAL')
    // With WAL, what is committed outlives the process, if not a failure of power.
    sqlite.pragma('synchronous = NORMAL')
    sqlite.pragma('foreign_keys = ON')
  } catch (error) {
    sqlite?.close()
    throw error instanceof StoreError ? error : new StoreError('STORE_UNUSABLE', file, error)
  }
  const open = sqlite
  return {
    statements: drizzle(open),
    atomically: (work) => open.transaction(work).immediate(),
    close: () => void open.close(),
  }
}

/**
 * Refuses what is not ours to use, on a connection that cannot write: another one would fold into
 * the file, when it closes, what a killed process has left beside it.
 */
function look(file: string): void {
  const sqlite = new BetterSqlite3(file, { readonly: true, timeout: patience })
  try {
    accept(sqlite, readMigrations())
  } catch (error) {
    // What cannot be read without being repaired first is judged when it is opened for writing.
    if (error instanceof StoreError) throw error
  } finally {
    sqlite.close()
  }
}

/** SQLite gives the files beside it the same mode. */
function makeFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
    chmodSync(file, 0o600)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
