import type { ConfigProblem, ConfigProblemCode } from './errors.ts'
import type { FileShape } from './file-shape.ts'
import type { Source } from './read-source.ts'
import { locate, type SourceNode } from './source-tree.ts'

/** What was found wrong with a file, each at its place. */
export class Findings {
  readonly problems: ConfigProblem[]
  readonly warnings: ConfigProblem[] = []
  readonly #source: Source
  readonly #shape: FileShape

  constructor(source: Source, shape: FileShape) {
    this.#source = source
    this.#shape = shape
    this.problems = [...source.problems]
  }

  /** What stands at a path, or the last thing on the way there. */
  locate(path: readonly string[]): { node: SourceNode; found: boolean } {
    return locate(this.#shape.root, path)
  }

  /** A value is wrong: points at it, or at the key of what should hold it. */
  wrongValue(path: readonly string[], message: string, options: FindingOptions = {}): void {
    const { node, found } = this.locate(path)
    // What is wrong because a variable is missing was reported as that.
    if (found && node.kind === 'scalar' && node.broken) return
    this.problems.push(this.#at(found ? node.offset : node.keyOffset, path, message, options))
  }

  /** A key is wrong: points at the key. */
  wrongKey(path: readonly string[], message: string, options: FindingOptions = {}): void {
    this.problems.push(this.#at(this.locate(path).node.keyOffset, path, message, options))
  }

  /** A key has no effect. */
  warn(path: readonly string[], message: string): void {
    const { keyOffset } = this.locate(path).node
    this.warnings.push(this.#at(keyOffset, path, message, { code: 'NOT_HONOURED' }))
  }

  #at(
    offset: number,
    path: readonly string[],
    message: string,
    options: FindingOptions,
  ): ConfigProblem {
    const { code = 'WRONG_VALUE', suggestion } = options
    const shown = this.#shape.bare ? path.slice(1) : path
    return this.#source.problem(code, { offset, path: shown }, message, suggestion)
  }
}

export interface FindingOptions {
  readonly code?: ConfigProblemCode
  readonly suggestion?: string | undefined
}
