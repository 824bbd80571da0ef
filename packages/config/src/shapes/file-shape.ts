import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode, toMap } from '../read/source-tree.ts'
import { sectionKeys } from './section-keys.ts'

const connectionKeys = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'type']

/**
 * A file as if it were one of ours: `mcpServers` and what stands beside it. Without them, it is a
 * bare map of servers when at least one of its values looks like one, and so does whatever has the
 * name of a section; VS Code says `servers`.
 */
export function recogniseShape(root: SourceMap, findings: Findings): SourceMap {
  const servers = root.members.get('servers')
  if (root.members.has('mcpServers')) {
    if (servers) reportBoth(servers, findings)
    return root
  }
  if (servers?.kind === 'map' && !looksLikeServer(servers)) return renameServers(root)
  const bare =
    [...root.members.values()].some(looksLikeServer) &&
    sectionKeys.every((key) => isAbsentOrServer(memberOf(root, key)))
  return bare ? toMap(root, new Map([['mcpServers', root]])) : root
}

/** True for a map that says how to reach something, and is not one of things that happen to be called so. */
export function looksLikeServer(node: SourceNode): boolean {
  return (
    node.kind === 'map' &&
    connectionKeys.some((key) => node.members.has(key)) &&
    [...node.members.values()].some(({ kind }) => kind !== 'map')
  )
}

function isAbsentOrServer(node: SourceNode | undefined): boolean {
  return node === undefined || looksLikeServer(node)
}

function renameServers(root: SourceMap): SourceMap {
  const members = [...root.members].map(
    ([key, node]) => [key === 'servers' ? 'mcpServers' : key, node] as const,
  )
  return toMap(root, new Map(members))
}

function reportBoth(servers: SourceNode, findings: Findings): void {
  const message = 'is how VS Code says mcpServers, which stands here too; one of the two must go'
  findings.wrongKey(servers, message, { code: 'UNKNOWN_KEY', suggestion: 'mcpServers' })
}
