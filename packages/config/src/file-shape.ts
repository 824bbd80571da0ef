import { memberOf, type SourceMap, type SourceNode } from './source-tree.ts'

/** A file as if it were wrapped: `mcpServers` and what stands beside it. */
export interface FileShape {
  readonly root: SourceNode
  /** True where the servers stand at the top of the file itself. */
  readonly bare: boolean
}

const connectionKeys = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'type']

/**
 * Tells the two shapes of file apart. It is bare, a map of servers, when it has no `mcpServers`, at
 * least one of its values looks like a server, and so does whatever is called `publish` or `http`.
 */
export function recogniseShape(root: SourceNode): FileShape {
  if (root.kind !== 'map' || root.members.has('mcpServers')) return { root, bare: false }
  const bare =
    [...root.members.values()].some(looksLikeServer) &&
    ['publish', 'http'].every((key) => isAbsentOrServer(memberOf(root, key)))
  return bare ? { root: wrap(root), bare } : { root, bare }
}

/** True for a map that says how to reach something. */
export function looksLikeServer(node: SourceNode): boolean {
  return node.kind === 'map' && connectionKeys.some((key) => node.members.has(key))
}

function isAbsentOrServer(node: SourceNode | undefined): boolean {
  return node === undefined || looksLikeServer(node)
}

function wrap(servers: SourceMap): SourceMap {
  return { ...servers, members: new Map([['mcpServers', servers]]) }
}
