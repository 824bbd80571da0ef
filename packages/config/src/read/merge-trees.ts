import { isNothing, type SourceMap, type SourceNode, toData, toList, toMap } from './source-tree.ts'

/**
 * Lays one file over another: maps are merged, key by key; any other value takes the place of the
 * earlier one. Lists that only ever restrict add up instead, so that no later file lifts by accident
 * what an earlier one forbids. `null` takes away what stands there; a key with nothing behind it
 * says nothing. An agent that has a file of its own is what that file says.
 */
export function mergeTrees(base: SourceMap, over: SourceMap): SourceMap {
  return mergeMaps(base, over, [])
}

/** Keys on the way to lists that add up; `*` is any key. */
const restricting: readonly (readonly string[])[] = [
  ['agents', '*', 'hooks', '*'],
  ['agents', '*', 'permissions', 'ask'],
  ['agents', '*', 'permissions', 'deny'],
  ['hooks', '*'],
  ['mcpServers', '*', 'hooks', '*'],
  ['permissions', 'ask'],
  ['permissions', 'deny'],
  ['publish', 'exclude'],
  ['groups', '*', 'exclude'],
]

/** What belongs to one way to reach a server, and means nothing once a later file says another. */
const stdioKeys = ['command', 'args', 'env', 'cwd'] as const
const remoteKeys = ['url', 'headers', 'oauth'] as const

function mergeMaps(base: SourceMap, over: SourceMap, path: readonly string[]): SourceMap {
  const members = new Map(isServer(path) ? withoutOtherWay(base, over) : base.members)
  for (const [key, node] of over.members) {
    const before = members.get(key)
    const merged = before ? mergeNodes(before, node, [...path, key]) : node
    if (merged) members.set(key, merged)
    else members.delete(key)
  }
  return toMap(over, members)
}

function mergeNodes(
  base: SourceNode,
  over: SourceNode,
  path: readonly string[],
): SourceNode | undefined {
  if (isNothing(over)) return over.kind === 'scalar' && over.takesAway ? undefined : base
  if (isAgent(path) && over.source.ofAgent) return over
  if (base.kind === 'map' && over.kind === 'map') return mergeMaps(base, over, path)
  if (base.kind === 'list' && over.kind === 'list' && isRestricting(path)) {
    return toList(over, withoutRepeats([...base.items, ...over.items]))
  }
  return over
}

function isRestricting(path: readonly string[]): boolean {
  return restricting.some(
    (pattern) =>
      pattern.length === path.length &&
      pattern.every((key, index) => key === '*' || key === path[index]),
  )
}

function withoutRepeats(items: readonly SourceNode[]): SourceNode[] {
  const seen = new Set<string>()
  return items.filter((item) => {
    const text = JSON.stringify(toData(item))
    return !seen.has(text) && seen.add(text)
  })
}

function isServer(path: readonly string[]): boolean {
  return path.length === 2 && path[0] === 'mcpServers'
}

function isAgent(path: readonly string[]): boolean {
  return path.length === 2 && path[0] === 'agents'
}

function withoutOtherWay(base: SourceMap, over: SourceMap): [string, SourceNode][] {
  const toUrl = over.members.has('url') && !over.members.has('command')
  const toCommand = over.members.has('command') && !over.members.has('url')
  const leaves: readonly string[] = toUrl ? stdioKeys : toCommand ? remoteKeys : []
  const turns = leaves.some((key) => base.members.has(key))
  return [...base.members].filter(([key]) => !leaves.includes(key) && !(turns && key === 'type'))
}
