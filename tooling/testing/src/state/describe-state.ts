import { describeCatalog } from './describe-catalog.ts'
import { describeEvents } from './describe-events.ts'
import { describeJournal } from './describe-journal.ts'
import { describeLeases } from './describe-leases.ts'
import { describeQuestions } from './describe-questions.ts'
import { describeSessions } from './describe-sessions.ts'
import { describeThreads } from './describe-threads.ts'
import type { OpenPlace } from './place.ts'

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
