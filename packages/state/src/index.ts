/**
 * What is kept: small contracts with defaults in memory, so that every package works alone. Runs
 * anywhere; what needs a file system stands in `@mobius-mcp/state/file`.
 *
 * @packageDocumentation
 */

// Catalog: what servers offer, without starting them
export type { Catalog, CatalogEntry } from './catalog.ts'
export type { MemoryCatalog, MemoryCatalogOptions } from './memory-catalog.ts'
export { createMemoryCatalog } from './memory-catalog.ts'

// Tokens: who we are to others
export type {
  ClientCredentials,
  ClientRegistration,
  CodeVerifier,
  StoredTokens,
  TokenKey,
  TokenOwner,
  Tokens,
  TokenSet,
} from './tokens.ts'
export { createMemoryTokens } from './memory-tokens.ts'

// All of it
export type { State } from './state.ts'
export { createMemoryState } from './memory-state.ts'

// Leases: who lives
export type { Lease, Leases } from './leases.ts'
export { leaseMemory } from './leases.ts'
export type { LeaseHolder, LeaseHolderOptions } from './lease-holder.ts'
export { openLeaseHolder } from './lease-holder.ts'

// Journal: what was done
export type {
  Journal,
  Run,
  RunOpening,
  RunOptions,
  RunOwner,
  RunQuery,
  RunRecord,
  StepOptions,
  StepOutcome,
  StepRecord,
  StepState,
} from './journal.ts'
export type {
  Claim,
  ClaimRequest,
  Fence,
  JournalRecords,
  RunFilter,
  StepStart,
  StoredRun,
  StoredStep,
} from './journal-records.ts'
export type { JournalOptions } from './create-journal.ts'
export { createJournal } from './create-journal.ts'

// Sessions and their streams
export type { SessionChange, SessionClaim, SessionRecord, Sessions } from './sessions.ts'
export type { ChannelEnd, EventBounds, Events, StreamEvent } from './events.ts'

// Threads
export type {
  ItemQuery,
  NewThread,
  NewThreadItem,
  Thread,
  ThreadItem,
  ThreadQuery,
  Threads,
} from './threads.ts'
export { foldTitle } from './threads.ts'

// Questions
export type {
  NewQuestion,
  Question,
  QuestionQuery,
  Questions,
  QuestionState,
} from './questions.ts'

// For whoever implements these
export type { Page, Place } from './page.ts'
export { comparePlaces, fromCursor, toCursor, toPage } from './page.ts'
export type { PrincipalName } from './principal-name.ts'
export { principalKey } from './principal-name.ts'
export type { StateErrorCode } from './errors.ts'
export { StateError } from './errors.ts'
