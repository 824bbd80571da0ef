import { promptServerName } from '../prompt-settings.ts'
import type { Findings } from '../read/findings.ts'
import type { SourceMap, SourceNode } from '../read/source-tree.ts'
import { isReservedServerName } from '../server-name.ts'

/** Finds names that two have: servers, agents and prompts share theirs. */
export function checkNames(root: SourceMap, findings: Findings): void {
  const servers = membersOf(root, 'mcpServers')
  const agents = membersOf(root, 'agents')
  const prompts = membersOf(root, 'prompts')
  for (const [name, node] of agents) {
    if (isReservedServerName(name)) reportReserved(name, node, findings)
    if (servers.has(name)) reportTaken(name, node, { kind: 'a server', findings })
  }
  for (const [name, node] of prompts) {
    if (servers.has(name)) reportTaken(name, node, { kind: 'a server', findings })
    else if (agents.has(name)) reportTaken(name, node, { kind: 'an agent', findings })
  }
  const other = servers.get(promptServerName) ?? agents.get(promptServerName)
  if (prompts.size > 0 && other) {
    const kind = 'the server that the prompts of the file belong to'
    reportTaken(promptServerName, other, { kind, findings })
  }
}

function reportReserved(name: string, node: SourceNode, findings: Findings): void {
  const message = `${name} is the name of a built-in server; choose another, such as my-${name}`
  findings.wrongKey(node, message, { code: 'RESERVED_NAME', suggestion: `my-${name}` })
}

function reportTaken(
  name: string,
  node: SourceNode,
  { kind, findings }: { readonly kind: string; readonly findings: Findings },
): void {
  const message = `${name} is the name of ${kind}; servers, agents and prompts share their names, so choose another`
  findings.wrongKey(node, message, { code: 'TAKEN_NAME' })
}

function membersOf(root: SourceMap, section: string): ReadonlyMap<string, SourceNode> {
  const node = root.members.get(section)
  return node?.kind === 'map' ? node.members : new Map()
}
