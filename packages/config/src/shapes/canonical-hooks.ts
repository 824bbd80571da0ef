import { type SourceNode, toList, toMap } from '../read/source-tree.ts'

/** Hooks with a list of targets under every key: a single one may stand there without brackets. */
export function canonicalHooks(node: SourceNode): SourceNode {
  if (node.kind !== 'map') return node
  const members = [...node.members].map(([key, value]) => {
    const single = value.kind === 'map' || (value.kind === 'scalar' && value.value !== null)
    return [key, single ? toList(value, [value]) : value] as const
  })
  return toMap(node, new Map(members))
}
