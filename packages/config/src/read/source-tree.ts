import type { PromptPlace } from '../prompt-settings.ts'
import { Secret } from '../secret.ts'
import type { Source } from './source.ts'

/** A value of a file, and where it stands. Keys and items are found by their text. */
export type SourceNode = SourceMap | SourceList | SourceScalar

/** Where a value stands: kept through all that is moved and merged. */
export interface Place {
  readonly source: Source
  /** Where the value begins: an index into the text. */
  readonly offset: number
  /** Where its key begins; the value's own place for an item of a list. */
  readonly keyOffset: number
  /** The keys that lead there, as they were written. */
  readonly path: readonly string[]
}

export interface SourceMap extends Place {
  readonly kind: 'map'
  readonly members: ReadonlyMap<string, SourceNode>
}

export interface SourceList extends Place {
  readonly kind: 'list'
  readonly items: readonly SourceNode[]
}

export interface SourceScalar extends Place {
  readonly kind: 'scalar'
  /** A secret where something was put in for a reference. */
  readonly value: Secret | string | number | boolean | null
  /** The value as it was written: `8080`, not 8080; `undefined` where nothing was written. */
  readonly text: string | undefined
  /** True where there is a key without so much as a colon. */
  readonly keyAlone: boolean
  /** True for `null` or `~`: takes away what an earlier file says. */
  readonly takesAway: boolean
  /** What was put into the value: names of variables, `file:…`, `exec:…`. */
  readonly references: readonly string[]
  /** Texts and places of arguments, where what is given later stands in the midst of it. */
  readonly template: readonly (string | Secret | PromptPlace)[] | undefined
  /** Written by people for models: only variables that are declared are put in. */
  readonly prose: boolean
  /** True where something is wrong with it that was reported already. */
  readonly broken: boolean
}

/** What holds for most scalars. */
export const plain = {
  keyAlone: false,
  takesAway: false,
  references: [] as readonly string[],
  template: undefined,
  prose: false,
  broken: false,
} as const

/** A map of these members, standing where another value stands. */
export function toMap(place: Place, members: ReadonlyMap<string, SourceNode>): SourceMap {
  const { source, offset, keyOffset, path } = place
  return { kind: 'map', source, offset, keyOffset, path, members }
}

/** A list of these items, standing where another value stands. */
export function toList(place: Place, items: readonly SourceNode[]): SourceList {
  const { source, offset, keyOffset, path } = place
  return { kind: 'list', source, offset, keyOffset, path, items }
}

/** A value that nobody wrote, standing where another stands. */
export function toScalar(place: Place, value: string | boolean): SourceScalar {
  const { source, offset, keyOffset, path } = place
  return { kind: 'scalar', source, offset, keyOffset, path, ...plain, value, text: String(value) }
}

/** The value alone, as plain data, secrets revealed: for checks whose messages show nothing of it. */
export function toData(node: SourceNode): unknown {
  switch (node.kind) {
    case 'map':
      return Object.fromEntries([...node.members].map(([key, value]) => [key, toData(value)]))
    case 'list':
      return node.items.map(toData)
    case 'scalar':
      return node.value instanceof Secret ? revealForChecks(node.value) : node.value
    default:
      return node satisfies never
  }
}

/** A value that waits for a variable has the form that is asked for, as far as anybody can tell. */
function revealForChecks(secret: Secret): string {
  const filler = secret.parts().length === 1 ? 'https://missing.invalid' : '0'
  return secret.reveal(Object.fromEntries(secret.missing.map((name) => [name, filler])))
}

/** True where a key stands with nothing behind it, or the whole text is empty. */
export function isNothing(node: SourceNode | undefined): boolean {
  return node?.kind === 'scalar' && node.value === null
}

/** The text of a scalar as it was written. */
export function textOf(node: SourceNode | undefined): string | undefined {
  return node?.kind === 'scalar' ? node.text : undefined
}

/** One step down. */
export function memberOf(node: SourceNode | undefined, key: string): SourceNode | undefined {
  if (node?.kind === 'map') return node.members.get(key)
  if (node?.kind === 'list') return node.items[Number(key)]
  return undefined
}

/** Follows a path as far as it goes; `rest` is what is left of it. */
export function locate(
  root: SourceNode,
  path: readonly string[],
): { node: SourceNode; rest: readonly string[] } {
  let node = root
  for (const [index, key] of path.entries()) {
    const next = memberOf(node, key)
    if (!next) return { node, rest: path.slice(index) }
    node = next
  }
  return { node, rest: [] }
}
