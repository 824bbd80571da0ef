import type { Clock } from '@mobius-mcp/protocol'
import { createJournal, type State } from '@mobius-mcp/state'
import { openDatabase } from './database.ts'
import { createStoredJournalRecords } from './journal-records.ts'
import { createStoredLeases } from './leases.ts'

export interface StoreOptions {
  readonly clock?: Clock | undefined
}

/** A state that outlives the process. */
export interface Store extends Pick<State, 'leases' | 'journal'>, AsyncDisposable {
  close(): Promise<void>
}

export async function openStore(file: string, options: StoreOptions = {}): Promise<Store> {
  const database = openDatabase(file)
  const leases = createStoredLeases(database)
  const close = async () => database.close()
  return {
    leases,
    journal: createJournal(createStoredJournalRecords(database, leases), options),
    close,
    [Symbol.asyncDispose]: close,
  }
}
