/**
 * What is kept in files. Needs Node.
 *
 * @packageDocumentation
 */

// Catalog
// Tokens
export type {
  CatalogProblem,
  CatalogProblemCode,
  TokensProblem,
  TokensProblemCode,
} from './errors.ts'
export { catalogProblems, createTokensProblem, StateError, tokensProblems } from './errors.ts'
export type { FileCatalog, FileCatalogOptions } from './file-catalog.ts'
export { openFileCatalog } from './file-catalog.ts'
export type { FileTokensOptions } from './file-tokens.ts'
export { openFileTokens } from './file-tokens.ts'
// Sealing: for whoever keeps tokens elsewhere
export type { KeyFile } from './key-file.ts'
export { makeKeyFile, readKeyFile } from './key-file.ts'
export type { Unsealed } from './seal.ts'
export { keyLength, seal, unseal } from './seal.ts'
