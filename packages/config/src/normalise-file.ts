import { looksLikeServer } from './file-shape.ts'
import type { Findings } from './findings.ts'
import { foreignTopKey } from './foreign-keys.ts'
import { normaliseServer } from './normalise-server.ts'
import { checkServerName, isReservedServerName } from './server-name.ts'
import { type SourceNode, toData } from './source-tree.ts'

/**
 * Brings every shape of file into the one that the schema knows: without what belongs to other
 * clients, and each server with its type.
 */
export function normaliseFile(root: SourceNode, findings: Findings): unknown {
  // An empty file configures nothing.
  if (root.kind === 'scalar' && root.value === null) return { mcpServers: {} }
  if (root.kind !== 'map') return toData(root)
  const data: Record<string, unknown> = { mcpServers: {} }
  for (const [key, node] of root.members) {
    if (key === 'mcpServers') data[key] = normaliseServers(node, findings)
    else if (!isSetAside(key, node, findings)) data[key] = toData(node)
  }
  return data
}

function normaliseServers(node: SourceNode, findings: Findings): unknown {
  // All its entries may be commented out.
  if (node.kind === 'scalar' && node.value === null) return {}
  if (node.kind !== 'map') return toData(node)
  const servers: [string, unknown][] = []
  for (const [name, entry] of node.members) {
    const path = ['mcpServers', name]
    checkName(name, path, findings)
    const data = entry.kind === 'map' ? normaliseServer(entry, path, findings) : toData(entry)
    if (data !== undefined) servers.push([name, data])
  }
  return Object.fromEntries(servers)
}

function checkName(name: string, path: readonly string[], findings: Findings): void {
  if (isReservedServerName(name)) {
    const message = `${name} is the name of a built-in server; choose another, such as my-${name}`
    findings.wrongKey(path, message, { code: 'RESERVED_NAME', suggestion: `my-${name}` })
  }
  const expected = checkServerName(name)
  if (expected) findings.wrongKey(path, `expected ${expected}`)
}

function isSetAside(key: string, node: SourceNode, findings: Findings): boolean {
  if (key === '$schema') return true
  const hint = foreignTopKey(key)
  if (hint) {
    findings.warn([key], `has no effect here: ${hint}`)
    return true
  }
  if (key === 'publish' || key === 'http' || !looksLikeServer(node)) return false
  findings.wrongKey([key], 'looks like a server; servers stand under mcpServers', {
    code: 'UNKNOWN_KEY',
    suggestion: `mcpServers.${key}`,
  })
  return true
}
