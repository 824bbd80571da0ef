import type { ConfigProblem, ConfigProblemCode } from '../errors.ts'

/** One text of a configuration: what problems call it, and where its places are. */
export interface Source {
  readonly file: string
  /** Relative paths in it start here. */
  readonly folder: string
  /** Line and column of an index into the text, from 1. */
  positionOf(offset: number): { line: number; column: number }
}

/** A problem of a place in a text. */
export function problemAt(
  source: Source,
  offset: number,
  what: {
    readonly code: ConfigProblemCode
    readonly path: readonly string[]
    readonly message: string
    readonly suggestion?: string | undefined
  },
): ConfigProblem {
  const { code, path, message, suggestion } = what
  const common = { code, file: source.file, ...source.positionOf(offset), path, message }
  return suggestion === undefined ? common : { ...common, suggestion }
}
