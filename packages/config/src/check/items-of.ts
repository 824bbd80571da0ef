import type { SourceNode } from '../read/source-tree.ts'

/** What stands in a map or a list, by key or index; nothing of anything else. */
export function itemsOf(node: SourceNode | undefined): [string, SourceNode][] {
  if (node?.kind === 'map') return [...node.members]
  return node?.kind === 'list' ? node.items.map((item, index) => [`${index}`, item]) : []
}
