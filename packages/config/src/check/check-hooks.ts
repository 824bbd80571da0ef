import { isMessagePoint } from '@mobius-mcp/hooks'
import { readHookKey } from '../hook-key.ts'
import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode } from '../read/source-tree.ts'
import { createRuleReader } from './check-rules.ts'

/** Finds hooks that would not run where they stand. What is wrong with their keys is told elsewhere. */
export function checkHooks(root: SourceMap, findings: Findings): void {
  checkPoints(root.members.get('hooks'), findings)
  const servers = root.members.get('mcpServers')
  if (servers?.kind !== 'map') return
  for (const entry of servers.members.values()) {
    const hooks = memberOf(entry, 'hooks')
    checkPoints(hooks, findings)
    for (const [key, node] of membersOf(hooks)) {
      if (readHookKey(key)?.params.server === undefined) continue
      findings.wrongKey(node, 'expected no parameter server: these hooks are for this server alone')
    }
  }
}

function checkPoints(hooks: SourceNode | undefined, findings: Findings): void {
  for (const [key, node] of membersOf(hooks)) {
    checkConditions(node, findings)
    const point = readHookKey(key)?.point
    if (point === undefined || isMessagePoint(point)) continue
    findings.warn(node, `has no effect here: nothing happens at the point ${point} yet`)
  }
}

/** What stands in a hook's `if` is a rule. */
function checkConditions(node: SourceNode, findings: Findings): void {
  const read = createRuleReader(findings)
  for (const target of node.kind === 'list' ? node.items : [node]) {
    const condition = memberOf(target, 'if')
    if (condition && !findings.concerns(condition)) read(condition)
  }
}

function membersOf(node: SourceNode | undefined): [string, SourceNode][] {
  return node?.kind === 'map' ? [...node.members] : []
}
