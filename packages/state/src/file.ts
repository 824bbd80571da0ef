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
export { catalogProblems, StateError, tokensProblems } from './errors.ts'
export type { FileCatalog, FileCatalogOptions } from './file-catalog.ts'
export { openFileCatalog } from './file-catalog.ts'
export type { FileTokensOptions } from './file-tokens.ts'
export { openFileTokens } from './file-tokens.ts'
