import { isMessagePoint, parseHookKey } from '@mobius-mcp/hooks'
import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode } from '../read/source-tree.ts'

/** Finds hooks that would not run where they stand. Their keys must be right. */
export function checkHooks(root: SourceMap, findings: Findings): void {
  checkPoints(root.members.get('hooks'), findings)
  const servers = root.members.get('mcpServers')
  if (servers?.kind !== 'map') return
  for (const entry of servers.members.values()) {
    const hooks = memberOf(entry, 'hooks')
    checkPoints(hooks, findings)
    for (const [key, node] of membersOf(hooks)) {
      if (parseHookKey(key).params.server === undefined) continue
      findings.wrongKey(node, 'expected no parameter server: these hooks are for this server alone')
    }
  }
}

function checkPoints(hooks: SourceNode | undefined, findings: Findings): void {
  for (const [key, node] of membersOf(hooks)) {
    const { point } = parseHookKey(key)
    if (isMessagePoint(point)) continue
    findings.warn(node, `has no effect here: nothing happens at the point ${point} yet`)
  }
}

function membersOf(node: SourceNode | undefined): [string, SourceNode][] {
  return node?.kind === 'map' ? [...node.members] : []
}
