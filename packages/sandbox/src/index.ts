/**
 * Bounds for what reaches out: for now a `fetch` for URLs that somebody else chose.
 *
 * @packageDocumentation
 */

// Fetching
export type { FetchLike, GuardedFetchOptions } from './guarded-fetch.ts'
export { createGuardedFetch } from './guarded-fetch.ts'
export type { GuardOptions, HostAddress } from './guard.ts'
export type { Network } from './network.ts'
export { findNetwork } from './network.ts'
export type { Lookup } from './pinned-agent.ts'

// Refusals
export type { FetchRefusal } from './errors.ts'
export { FetchRefusedError, fetchRefusals, isFetchRefused } from './errors.ts'
