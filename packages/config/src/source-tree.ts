/** A value of a file, and where it stands. Keys and items are found by their text. */
export type SourceNode = SourceMap | SourceList | SourceScalar

interface Placed {
  /** Where the value begins: an index into the text. */
  readonly offset: number
  /** Where its key begins; the value's own place for an item of a list. */
  readonly keyOffset: number
}

export interface SourceMap extends Placed {
  readonly kind: 'map'
  readonly members: ReadonlyMap<string, SourceNode>
}

interface SourceList extends Placed {
  readonly kind: 'list'
  readonly items: readonly SourceNode[]
}

export interface SourceScalar extends Placed {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
  /** The value as it was written: `8080`, not 8080; `undefined` where nothing was written. */
  readonly text: string | undefined
  /** True where there is a key without so much as a colon. */
  readonly keyAlone: boolean
  /** True where a variable was replaced: the value may be a secret. */
  readonly expanded: boolean
  /** True where a variable could not be replaced, which was reported already. */
  readonly broken: boolean
}

/** The value alone, as plain data. */
export function toData(node: SourceNode): unknown {
  switch (node.kind) {
    case 'map':
      return Object.fromEntries([...node.members].map(([key, value]) => [key, toData(value)]))
    case 'list':
      return node.items.map(toData)
    case 'scalar':
      return node.value
    default:
      return node satisfies never
  }
}

/** One step down. */
export function memberOf(node: SourceNode | undefined, key: string): SourceNode | undefined {
  if (node?.kind === 'map') return node.members.get(key)
  if (node?.kind === 'list') return node.items[Number(key)]
  return undefined
}

/** Follows a path as far as it goes. */
export function locate(
  root: SourceNode,
  path: readonly string[],
): { node: SourceNode; found: boolean } {
  let node = root
  for (const key of path) {
    const next = memberOf(node, key)
    if (!next) return { node, found: false }
    node = next
  }
  return { node, found: true }
}
