import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { ConfigProblem, ConfigProblemCode } from '../errors.ts'
import { problemAt, type Source } from './source.ts'
import {
  type Place,
  plain,
  type SourceMap,
  type SourceNode,
  type SourceScalar,
  toList,
} from './source-tree.ts'

/** Bounds on what aliases can blow up: no configuration that somebody wrote comes near. */
const deepest = 64
const most = 100_000

/** Turns a YAML document into a tree of our own. What cannot be meant becomes a problem and `null`. */
export class TreeReader {
  readonly problems: ConfigProblem[] = []
  readonly #source: Source
  readonly #anchors = new Map<string, unknown>()
  /** What is being read, the outermost first: an alias to one of them has no end. */
  readonly #open = new Set<unknown>()
  #count = 0

  constructor(source: Source) {
    this.#source = source
  }

  readRoot(node: unknown): SourceNode {
    return this.read(node, { source: this.#source, path: [], offset: 0, keyOffset: 0 })
  }

  /** `place` is where the value should stand: its own offset is found here. */
  read(node: unknown, place: Place): SourceNode {
    this.#count += 1
    if (this.#count > most || place.path.length > deepest) return this.#tooMuch(place)
    if (isAlias(node)) return this.#readAlias(node.source, standing(node, place))
    if (isMap(node)) return this.#within(node, () => this.#readMap(node, place))
    if (isSeq(node)) return this.#within(node, () => this.#readList(node, place))
    if (isScalar(node)) return this.#readScalar(node, place)
    return nothing(place)
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

  #readAlias(name: string, place: Place): SourceNode {
    const target = this.#anchors.get(name)
    if (target !== undefined && !this.#open.has(target)) {
      // Reported where it is used, not where it was written.
      return { ...this.read(target, place), offset: place.offset }
    }
    // Not quoted: it may be a password that begins with *.
    const message = target
      ? 'an alias stands inside what it stands for'
      : 'text that begins with * is a YAML alias, and nothing before it has that name; put the text in quotes'
    this.#report('WRONG_VALUE', place.offset, place, message)
    return { ...nothing(place), broken: true }
  }

  #readMap(node: YAMLMap, around: Place): SourceMap {
    const place = standing(node, around)
    this.#checkTag(node.tag, place)
    const members = new Map<string, SourceNode>()
    for (const pair of node.items) {
      this.#readPair(pair, members, { ...place, keyOffset: place.offset })
    }
    return { kind: 'map', ...place, members }
  }

  #readPair(pair: Pair, members: Map<string, SourceNode>, around: Place): void {
    const { key, value } = pair
    const keyOffset = offsetOf(key, around)
    const name = nameOf(key)
    const refusal = name === undefined ? 'expected a key that is text' : refusedKeys.get(name)
    if (name === undefined || refusal !== undefined) {
      this.#report('WRONG_VALUE', keyOffset, around, refusal ?? '')
      return
    }
    const place = { ...around, path: [...around.path, name], offset: keyOffset, keyOffset }
    const first = members.get(name)
    if (first) this.#reportDuplicate(place, first.keyOffset)
    else members.set(name, this.read(value, place))
  }

  #readList(node: YAMLSeq, around: Place): SourceNode {
    const place = standing(node, around)
    this.#checkTag(node.tag, place)
    const items = node.items.map((item, index) => {
      const offset = offsetOf(item, place)
      return this.read(item, {
        ...place,
        path: [...place.path, `${index}`],
        offset,
        keyOffset: offset,
      })
    })
    return toList(place, items)
  }

  #readScalar(node: Scalar, around: Place): SourceScalar {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    const place = standing(node, around)
    const broken = this.#checkTag(node.tag, place)
    const common = { kind: 'scalar', ...place, ...plain, broken } as const
    const { value, source } = node
    if (typeof value === 'string') return { ...common, value, text: value }
    if (typeof value === 'number' || typeof value === 'boolean') {
      return { ...common, value, text: source ?? `${value}` }
    }
    return {
      ...common,
      value: null,
      text: undefined,
      takesAway: source !== undefined && source !== '',
    }
  }

  /** A tag is nearly always text that lacks its quotes: `!github/delete`, or a password. */
  #checkTag(tag: string | undefined, place: Place): boolean {
    if (tag === undefined || tag.startsWith('tag:yaml.org,2002:')) return false
    const message = 'text that begins with ! is a YAML tag; put the text in quotes'
    this.#report('WRONG_VALUE', place.offset, place, message)
    return true
  }

  #tooMuch(place: Place): SourceScalar {
    if (!this.problems.some(({ message }) => message === tooMuch)) {
      const path = place.path.slice(0, 3)
      this.#report('WRONG_VALUE', place.keyOffset, { ...place, path }, tooMuch)
    }
    return { ...nothing(place), broken: true }
  }

  #reportDuplicate(place: Place, firstOffset: number): void {
    const { line } = this.#source.positionOf(firstOffset)
    const message = `the same key stands on line ${line} already; one of the two must go`
    this.#report('DUPLICATE_KEY', place.keyOffset, place, message)
  }

  #report(code: ConfigProblemCode, offset: number, { path }: Place, message: string): void {
    this.problems.push(problemAt(this.#source, offset, { code, path, message }))
  }
}

const refusedKeys = new Map([
  ['__proto__', 'the key __proto__ cannot be used'],
  ['<<', 'merging with << is not part of YAML 1.2; repeat what is shared'],
])

const tooMuch = `nested deeper than ${deepest} levels, or more than ${most} values`

function nothing(place: Place): SourceScalar {
  return { kind: 'scalar', ...place, ...plain, value: null, text: undefined, keyAlone: true }
}

function nameOf(key: unknown): string | undefined {
  if (typeof key === 'string') return key
  if (!isScalar(key) || key.value === null) return undefined
  // A number or a boolean is a key as it was written.
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

/** The place of a value that begins where its node does. */
function standing(node: unknown, place: Place): Place {
  return { ...place, offset: offsetOf(node, place) }
}

function offsetOf(node: unknown, place: Place): number {
  const ranged =
    typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
  return Array.isArray(ranged) && typeof ranged[0] === 'number' ? ranged[0] : place.keyOffset
}
