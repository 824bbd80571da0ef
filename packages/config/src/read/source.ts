import { dirname } from 'node:path'
import type { ConfigProblem, ConfigProblemCode } from '../errors.ts'

/** One text of a configuration: what problems call it, and where its places are. */
export interface Source {
  readonly file: string
  /** Relative paths in it start here. */
  readonly folder: string
  /** One agent is all that it says, and whatever other files say of that agent does not count. */
  readonly ofAgent?: true
  /** Line and column of an index into the text, from 1. */
  positionOf(offset: number): { line: number; column: number }
}

/** A text as a source. */
export function toSource(text: string, file: string): Source {
  let starts: number[] | undefined
  return {
    file,
    folder: dirname(file),
    positionOf(offset) {
      starts ??= lineStarts(text)
      const at = Math.min(offset, text.length)
      const line = starts.findLastIndex((start) => start <= at)
      return { line: line + 1, column: at - (starts[line] ?? 0) + 1 }
    },
  }
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
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
