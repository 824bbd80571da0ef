import { describeCatalog } from './catalog.ts'
import { describeEvents } from './events.ts'
import { describeJournal } from './journal.ts'
import { describeLeases } from './leases.ts'
import type { OpenPlace } from './place.ts'
import { describeQuestions } from './questions.ts'
import { describeSessions } from './sessions.ts'
import { describeThreads } from './threads.ts'

/** All but tokens, which have implementations of their own. */
export function describeState(name: string, open: OpenPlace): void {
  describeCatalog(name, open)
  describeLeases(name, open)
  describeSessions(name, open)
  describeEvents(name, open)
  describeThreads(name, open)
  describeQuestions(name, open)
  describeJournal(name, open)
}
