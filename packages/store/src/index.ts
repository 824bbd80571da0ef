/**
 * State kept in one SQLite file. Needs Node.
 *
 * @packageDocumentation
 */

export type { StoreErrorCode } from './errors.ts'
export { StoreError, storeErrors } from './errors.ts'
export type { Store, StoreOptions } from './store.ts'
export { openStore } from './store.ts'
