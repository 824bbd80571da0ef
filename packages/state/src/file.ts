/**
 * What is kept in files. Needs Node.
 *
 * @packageDocumentation
 */

// Catalog
export type { CatalogProblem, CatalogProblemCode } from './errors.ts'
export { catalogProblems } from './errors.ts'
export type { FileCatalog, FileCatalogOptions } from './file-catalog.ts'
export { openFileCatalog } from './file-catalog.ts'
