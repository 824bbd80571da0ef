import type { Catalog } from './catalog.ts'
import type { Events } from './events.ts'
import type { Journal } from './journal.ts'
import type { Leases } from './leases.ts'
import type { Questions } from './questions.ts'
import type { Sessions } from './sessions.ts'
import type { Threads } from './threads.ts'
import type { Tokens } from './tokens.ts'

/** All that is kept. Each part can be used alone. */
export interface State {
  readonly catalog: Catalog
  readonly tokens: Tokens
  readonly leases: Leases
  readonly sessions: Sessions
  readonly events: Events
  readonly threads: Threads
  readonly questions: Questions
  readonly journal: Journal
}
