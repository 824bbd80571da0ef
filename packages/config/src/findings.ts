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
    const shown = path.map((key, index) => {
      const within = ['env', 'headers'].includes(path[index - 1] ?? '')
      const unknown = code === 'UNKNOWN_KEY' && !suggestion && index === path.length - 1
      return (within || unknown) && this.#mayBeSecret(path.slice(0, index + 1)) ? '…' : key
    })
    const place = { offset, path: this.#shape.bare ? shown.slice(1) : shown }
    return this.#source.problem(code, place, message, suggestion)
  }

  /** Where a colon, a quote or a comma is missing, a secret becomes part of a key, or a key. */
  #mayBeSecret(path: readonly string[]): boolean {
    const { node } = this.locate(path)
    const alone = node.kind === 'scalar' && node.keyAlone
    return alone || !/^[\w-]+$/.test(path.at(-1) ?? '')
  }
}

export interface FindingOptions {
  readonly code?: ConfigProblemCode
  readonly suggestion?: string | undefined
}
