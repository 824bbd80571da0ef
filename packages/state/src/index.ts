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
