import { relative } from 'node:path'
import { Document, isScalar, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { treeOf } from '../build/tree-of.ts'
import type { Configuration } from '../configuration.ts'
import type { SourceMap, SourceNode, SourceScalar } from '../read/source-tree.ts'
import { Secret } from '../secret.ts'
import { hideSecretParts, isSecretName, isSecretPlace } from './secret-place.ts'

export interface PrintConfigurationOptions {
  /** Files are named as seen from here; as they are, by default. */
  readonly relativeTo?: string | undefined
}

const hidden = '[redacted]'

/**
 * What all files and profiles say together, as YAML, each value with the place where it was written
 * and what was put into it. Nothing secret is in it: neither what came from a reference nor what a
 * file spells out where secrets stand. What no file says is left out.
 */
export function printConfiguration(
  configuration: Configuration,
  options: PrintConfigurationOptions = {},
): string {
  const root = treeOf(configuration)
  if (!root || isEmpty(root)) return '# Nothing is configured: the built-in servers are alone.\n'
  const printer = new Printer(root, options)
  const document = new Document(printer.map(root, []))
  return document.toString({ lineWidth: 0 })
}

/** The entry of servers is always there. */
function isEmpty(root: SourceMap): boolean {
  return [...root.members.values()].every((node) => node.kind === 'map' && node.members.size === 0)
}

class Printer {
  readonly #root: SourceMap
  readonly #base: string | undefined

  constructor(root: SourceMap, { relativeTo }: PrintConfigurationOptions) {
    this.#root = root
    this.#base = relativeTo
  }

  map(node: SourceMap, path: readonly string[]): YAMLMap {
    const map = new YAMLMap()
    for (const [key, value] of node.members) {
      if (path.length === 0 && value.kind === 'map' && value.members.size === 0) continue
      map.items.push(new Pair(new Scalar(key), this.#node(value, [...path, key])))
    }
    return map
  }

  #node(node: SourceNode, path: readonly string[]): YAMLMap | YAMLSeq | Scalar {
    if (node.kind === 'map') return this.map(node, path)
    if (node.kind === 'scalar') return this.#scalar(node, isSecretPlace(path, this.#root))
    const list = new YAMLSeq()
    let secret = false
    for (const [index, item] of node.items.entries()) {
      const printed: unknown =
        item.kind === 'scalar'
          ? this.#scalar(item, secret)
          : this.#node(item, [...path, `${index}`])
      list.items.push(printed)
      secret = path.at(-1) === 'args' && isOption(printed)
    }
    return list
  }

  #scalar(node: SourceScalar, secret: boolean): Scalar {
    const { value } = node
    const shown =
      secret || value instanceof Secret
        ? hidden
        : typeof value === 'string'
          ? hideSecretParts(value)
          : value
    const scalar = new Scalar(shown)
    scalar.comment = ` ${this.#placeOf(node)}`
    return scalar
  }

  #placeOf({ source, offset, references }: SourceScalar): string {
    const { line, column } = source.positionOf(offset)
    const file = this.#base === undefined ? source.file : relative(this.#base, source.file)
    const from = references.length === 0 ? '' : `, from ${references.join(', ')}`
    return `${file}:${line}:${column}${from}`
  }
}

/** The name of an option whose value is the next argument. */
function isOption(node: unknown): boolean {
  if (!isScalar(node) || typeof node.value !== 'string') return false
  const [, name] = /^--?([\w-]+)$/.exec(node.value) ?? []
  return name !== undefined && isSecretName(name)
}
