import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { ConfigProblem, ReportProblem } from './errors.ts'
import { type Environment, expandVariables } from './expand-variables.ts'
import type { SourceMap, SourceNode, SourceScalar } from './source-tree.ts'

/** Bounds on what aliases can blow up: no configuration that somebody wrote comes near. */
const deepest = 64
const most = 100_000

export interface ReadTreeOptions {
  readonly env: Environment
  readonly problem: ReportProblem
}

/** Turns a YAML document into a tree of our own. What cannot be meant becomes a problem and `null`. */
export function readTree(
  document: Document,
  options: ReadTreeOptions,
): { root: SourceNode; problems: ConfigProblem[] } {
  const reader = new TreeReader(options)
  const root = reader.read(document.contents, { path: [], keyOffset: 0 })
  return { root, problems: reader.problems }
}

interface Place {
  readonly path: readonly string[]
  readonly keyOffset: number
}

class TreeReader {
  readonly problems: ConfigProblem[] = []
  readonly #options: ReadTreeOptions
  readonly #anchors = new Map<string, unknown>()
  /** What is being read, the outermost first: an alias to one of them has no end. */
  readonly #open = new Set<unknown>()
  #count = 0

  constructor(options: ReadTreeOptions) {
    this.#options = options
  }

  read(node: unknown, place: Place): SourceNode {
    this.#count += 1
    if (this.#count > most || place.path.length > deepest) return this.#tooMuch(place)
    if (isAlias(node)) return this.#readAlias(node.source, place, offsetOf(node, place))
    if (isMap(node)) return this.#within(node, () => this.#readMap(node, place))
    if (isSeq(node)) return this.#within(node, () => this.#readList(node, place))
    if (isScalar(node)) return this.#readScalar(node, place)
    return nothing(place.keyOffset, place)
  }

  #within<T>(node: YAMLMap | YAMLSeq, read: () => T): T {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    this.#open.add(node)
    try {
      return read()
    } finally {
      this.#open.delete(node)
    }
  }

  #readAlias(name: string, place: Place, offset: number): SourceNode {
    const target = this.#anchors.get(name)
    if (target !== undefined && !this.#open.has(target)) {
      // Reported where it is used, not where it was written.
      return { ...this.read(target, place), offset }
    }
    // Not quoted: it may be a password that begins with *.
    const message = target
      ? 'an alias stands inside what it stands for'
      : 'text that begins with * is a YAML alias, and nothing before it has that name; put the text in quotes'
    this.#report('WRONG_VALUE', offset, place, message)
    return { ...nothing(offset, place), broken: true }
  }

  #readMap(node: YAMLMap, place: Place): SourceMap {
    const offset = offsetOf(node, place)
    this.#checkTag(node.tag, offset, place)
    const members = new Map<string, SourceNode>()
    for (const pair of node.items) this.#readPair(pair, members, { ...place, keyOffset: offset })
    return { kind: 'map', offset, keyOffset: place.keyOffset, members }
  }

  #readPair(pair: Pair, members: Map<string, SourceNode>, place: Place): void {
    const { key, value } = pair
    const keyOffset = offsetOf(key, place)
    const name = nameOf(key)
    const refusal = name === undefined ? 'expected a key that is text' : refusedKeys.get(name)
    if (name === undefined || refusal !== undefined) {
      this.#report('WRONG_VALUE', keyOffset, place, refusal ?? '')
      return
    }
    const path = [...place.path, name]
    const first = members.get(name)
    if (first) this.#reportDuplicate({ path, keyOffset }, first.keyOffset)
    else members.set(name, this.read(value, { path, keyOffset }))
  }

  #readList(node: YAMLSeq, place: Place): SourceNode {
    const offset = offsetOf(node, place)
    this.#checkTag(node.tag, offset, place)
    const items = node.items.map((item, index) =>
      this.read(item, { path: [...place.path, `${index}`], keyOffset: offsetOf(item, place) }),
    )
    return { kind: 'list', offset, keyOffset: place.keyOffset, items }
  }

  #readScalar(node: Scalar, place: Place): SourceScalar {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    const offset = offsetOf(node, place)
    const placed = { offset, keyOffset: place.keyOffset, keyAlone: false }
    const broken = this.#checkTag(node.tag, offset, place)
    const { value, source } = node
    if (typeof value !== 'string') {
      const known = typeof value === 'number' || typeof value === 'boolean' ? value : null
      const text = known === null ? undefined : (source ?? String(known))
      return { kind: 'scalar', ...placed, value: known, text, expanded: false, broken }
    }
    const { text, expanded, failures } = expandVariables(value, this.#options.env)
    for (const { code, message } of failures) this.#report(code, offset, place, message)
    const failed = broken || failures.length > 0
    return { kind: 'scalar', ...placed, value: text, text, expanded, broken: failed }
  }

  /** A tag is nearly always text that lacks its quotes: `!github/delete`, or a password. */
  #checkTag(tag: string | undefined, offset: number, place: Place): boolean {
    if (tag === undefined || tag.startsWith('tag:yaml.org,2002:')) return false
    const message = 'text that begins with ! is a YAML tag; put the text in quotes'
    this.#report('WRONG_VALUE', offset, place, message)
    return true
  }

  #tooMuch(place: Place): SourceScalar {
    if (!this.problems.some(({ message }) => message === tooMuch)) {
      this.#report(
        'WRONG_VALUE',
        place.keyOffset,
        { ...place, path: place.path.slice(0, 3) },
        tooMuch,
      )
    }
    return { ...nothing(place.keyOffset, place), broken: true }
  }

  #reportDuplicate(place: Place, firstOffset: number): void {
    const { problem } = this.#options
    const { line } = problem('DUPLICATE_KEY', { offset: firstOffset, path: [] }, '')
    const message = `the same key stands on line ${line} already; one of the two must go`
    this.#report('DUPLICATE_KEY', place.keyOffset, place, message)
  }

  #report(
    code: 'WRONG_VALUE' | 'UNSET_VARIABLE' | 'DUPLICATE_KEY',
    offset: number,
    { path }: Place,
    message: string,
  ): void {
    this.problems.push(this.#options.problem(code, { offset, path }, message))
  }
}

const refusedKeys = new Map([
  ['__proto__', 'the key __proto__ cannot be used'],
  ['<<', 'merging with << is not part of YAML 1.2; repeat what is shared'],
])

const tooMuch = `nested deeper than ${deepest} levels, or more than ${most} values`

function nothing(offset: number, place: Place): SourceScalar {
  const { keyOffset } = place
  const empty = { value: null, text: undefined, keyAlone: true, expanded: false, broken: false }
  return { kind: 'scalar', offset, keyOffset, ...empty }
}

function nameOf(key: unknown): string | undefined {
  if (typeof key === 'string') return key
  if (!isScalar(key) || key.value === null) return undefined
  // A number or a boolean is a key as it was written.
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

function offsetOf(node: unknown, place: Place): number {
  const ranged =
    typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
  return Array.isArray(ranged) && typeof ranged[0] === 'number' ? ranged[0] : place.keyOffset
}
