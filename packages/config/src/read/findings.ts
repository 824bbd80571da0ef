import type { ConfigProblem, ConfigProblemCode } from '../errors.ts'
import { problemAt } from './source.ts'
import type { SourceNode } from './source-tree.ts'

/** What was found wrong, each at the place where it was written. */
export class Findings {
  readonly problems: ConfigProblem[] = []
  readonly warnings: ConfigProblem[] = []

  /** A value is wrong: points at it. */
  wrongValue(node: SourceNode, message: string, options: FindingOptions = {}): void {
    // What is wrong because a variable is missing was reported as that.
    if (node.kind === 'scalar' && node.broken) return
    this.problems.push(this.#problem(node, node.offset, message, options))
  }

  /** A key is wrong: points at the key. */
  wrongKey(node: SourceNode, message: string, options: FindingOptions = {}): void {
    this.problems.push(this.#problem(node, node.keyOffset, message, options))
  }

  /** A value is missing: points at the key of what should hold it. */
  missing(holder: SourceNode, rest: readonly string[], message: string): void {
    const options = { code: 'MISSING_KEY', rest } as const
    this.problems.push(this.#problem(holder, holder.keyOffset, message, options))
  }

  /** A key has no effect. */
  warn(node: SourceNode, message: string, code: ConfigProblemCode = 'NOT_HONOURED'): void {
    this.warnings.push(this.#problem(node, node.keyOffset, message, { code }))
  }

  /** True where something was found wrong with a value or its key already. */
  concerns({ source, offset, keyOffset }: SourceNode): boolean {
    const places = [source.positionOf(offset), source.positionOf(keyOffset)]
    return this.problems.some(
      ({ file, line, column }) =>
        file === source.file &&
        places.some((place) => place.line === line && place.column === column),
    )
  }

  #problem(
    node: SourceNode,
    offset: number,
    message: string,
    options: FindingOptions & { readonly rest?: readonly string[] },
  ): ConfigProblem {
    const { code = 'WRONG_VALUE', suggestion, rest = [] } = options
    const path = [...showPath(node, code === 'UNKNOWN_KEY' && !suggestion), ...rest]
    return problemAt(node.source, offset, { code, path, message, suggestion })
  }
}

export interface FindingOptions {
  readonly code?: ConfigProblemCode
  readonly suggestion?: string | undefined
}

/** Where a colon, a quote or a comma is missing, a secret becomes part of a key, or a key. */
function showPath(node: SourceNode, isUnknown: boolean): string[] {
  const { path } = node
  const alone = node.kind === 'scalar' && node.keyAlone
  return path.map((key, index) => {
    const last = index === path.length - 1
    const within = ['env', 'headers'].includes(path[index - 1] ?? '')
    const maySecret = (last && alone) || !/^[\w-]+$/.test(key)
    return (within || (isUnknown && last)) && maySecret ? '…' : key
  })
}
