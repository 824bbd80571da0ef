import { dirname } from 'node:path'
import type { Clock } from '@mobius-mcp/protocol'
import { createJournal, type State } from '@mobius-mcp/state'
import { createStoredCatalog } from './catalog.ts'
import { type Database, openDatabase } from './database.ts'
import { createStoredEvents } from './events.ts'
import { createStoredJournalRecords } from './journal-records.ts'
import { createStoredLeases } from './leases.ts'
import { createStoredQuestions } from './questions.ts'
import { createSealing, type SealingOptions } from './sealing.ts'
import { createStoredSessions } from './sessions.ts'
import { createStoredThreads } from './threads.ts'
import { createStoredTokens } from './tokens.ts'

export interface StoreOptions extends SealingOptions {
  /** Where the key stands that tokens are sealed with. Beside the file by default. */
  readonly keyFolder?: string | undefined
  readonly clock?: Clock | undefined
}

/** A state that outlives the process. */
export interface Store extends State, AsyncDisposable {
  /** Nothing can be kept or read any more. May be called again. */
  close(): Promise<void>
}

/**
 * Opens a SQLite file that holds everything; makes it, and brings it to this version, where that is
 * needed. Several processes may use one file. What a call has resolved with is there after `kill -9`.
 *
 * @throws StoreError `STORE_NEWER` and `STORE_FOREIGN` where the file is not this version's to use,
 * and then it is left as it is; `STORE_UNUSABLE` where it is no database.
 */
export async function openStore(file: string, options: StoreOptions = {}): Promise<Store> {
  const { keyFolder = dirname(file) } = options
  const database = openDatabase(file)
  try {
    return assemble(database, keyFolder, options)
  } catch (error) {
    database.close()
    throw error
  }
}

function assemble(database: Database, keyFolder: string, options: StoreOptions): Store {
  const leases = createStoredLeases(database)
  const close = async () => database.close()
  return {
    catalog: createStoredCatalog(database),
    tokens: createStoredTokens(database, createSealing(keyFolder, options)),
    leases,
    sessions: createStoredSessions(database, leases),
    events: createStoredEvents(database),
    threads: createStoredThreads(database),
    questions: createStoredQuestions(database),
    journal: createJournal(createStoredJournalRecords(database, leases), { clock: options.clock }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
