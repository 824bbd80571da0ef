import type { Findings } from '../read/findings.ts'
import { isNothing, type SourceMap, type SourceNode, toList, toMap } from '../read/source-tree.ts'

/** A map with its values changed; those that become nothing are left out. Anything else stays as it is. */
export function changeMembers(
  node: SourceNode,
  change: (value: SourceNode, key: string) => SourceNode | undefined,
): SourceNode {
  if (node.kind !== 'map') return node
  const members = new Map<string, SourceNode>()
  for (const [key, value] of node.members) {
    const changed = change(value, key)
    if (changed) members.set(key, changed)
  }
  return toMap(node, members)
}

/** An entry of which nothing is said is one that has all defaults; `null` takes one away. */
export function orEmpty(entry: SourceNode): SourceNode {
  return isNothing(entry) && entry.kind === 'scalar' && !entry.takesAway
    ? toMap(entry, new Map())
    : entry
}

/** A single value as a list of one. */
export function asList(node: SourceNode): SourceNode {
  const single = node.kind === 'map' || (node.kind === 'scalar' && node.value !== null)
  return single ? toList(node, [node]) : node
}

/** Numbers and booleans where text is meant are text as it was written. */
export function asWritten(node: SourceNode): SourceNode {
  return node.kind === 'scalar' && node.text !== undefined ? { ...node, value: node.text } : node
}

/** Nothing where there is a hint why it has no effect. */
export function warned(
  node: SourceNode,
  hint: string | undefined,
  findings: Findings,
): SourceNode | undefined {
  if (hint === undefined) return node
  findings.warn(node, `has no effect here: ${hint}`)
  return undefined
}

/** A map with other programs' words for its keys in ours. What is said in both words is found. */
export function translateKeys(
  entry: SourceMap,
  words: ReadonlyMap<string, string>,
  findings: Findings,
): SourceMap {
  const members = new Map<string, SourceNode>()
  for (const [key, node] of entry.members) {
    const own = words.get(key)
    if (own === undefined) members.set(key, node)
    else if (entry.members.has(own) || members.has(own)) {
      findings.wrongKey(node, `means the same as ${own}; one of the two must go`)
    } else members.set(own, node)
  }
  return toMap(entry, members)
}
