import { isLifePoint, parseHookKey } from '../hook-key.ts'
import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode } from '../read/source-tree.ts'

/** Finds hooks that would not run where they stand. */
export function checkHooks(root: SourceMap, findings: Findings): void {
  checkPoints(root.members.get('hooks'), findings)
  const servers = root.members.get('mcpServers')
  if (servers?.kind !== 'map') return
  for (const entry of servers.members.values()) {
    const hooks = memberOf(entry, 'hooks')
    checkPoints(hooks, findings)
    for (const [key, node] of membersOf(hooks)) {
      if (paramsOf(key)?.server === undefined) continue
      findings.wrongKey(node, 'expected no parameter server: these hooks are for this server alone')
    }
  }
}

function checkPoints(hooks: SourceNode | undefined, findings: Findings): void {
  for (const [key, node] of membersOf(hooks)) {
    const parsed = parseHookKey(key)
    if (typeof parsed === 'string' || !isLifePoint(parsed.point)) continue
    findings.warn(node, `has no effect here: nothing happens at the point ${parsed.point} yet`)
  }
}

function paramsOf(key: string): Readonly<Record<string, string>> | undefined {
  const parsed = parseHookKey(key)
  return typeof parsed === 'string' ? undefined : parsed.params
}

function membersOf(node: SourceNode | undefined): [string, SourceNode][] {
  return node?.kind === 'map' ? [...node.members] : []
}
