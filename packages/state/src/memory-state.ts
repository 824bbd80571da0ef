import { createJournal, type JournalOptions } from './create-journal.ts'
import { createMemoryCatalog } from './memory-catalog.ts'
import { createMemoryEvents } from './memory-events.ts'
import { createMemoryJournalRecords } from './memory-journal-records.ts'
import { createMemoryLeases } from './memory-leases.ts'
import { createMemoryQuestions } from './memory-questions.ts'
import { createMemorySessions } from './memory-sessions.ts'
import { createMemoryThreads } from './memory-threads.ts'
import { createMemoryTokens } from './memory-tokens.ts'
import type { State } from './state.ts'

/** Makes a state that is forgotten with the process. */
export function createMemoryState(options: JournalOptions = {}): State {
  const leases = createMemoryLeases()
  return {
    catalog: createMemoryCatalog(),
    tokens: createMemoryTokens(),
    leases,
    sessions: createMemorySessions(leases),
    events: createMemoryEvents(),
    threads: createMemoryThreads(),
    questions: createMemoryQuestions(),
    journal: createJournal(createMemoryJournalRecords(leases), options),
  }
}
