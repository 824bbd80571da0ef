import { isMessagePoint } from '@mobius-mcp/hooks'
import { readHookKey } from '../hook-key.ts'
import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode } from '../read/source-tree.ts'
import { createRuleReader } from './check-rules.ts'
import { itemsOf } from './items-of.ts'

/** Finds hooks that would not run where they stand. What is wrong with their keys is told elsewhere. */
export function checkHooks(root: SourceMap, findings: Findings): void {
  checkPoints(root.members.get('hooks'), findings)
  for (const section of ['mcpServers', 'agents'] as const) {
    for (const [, entry] of itemsOf(root.members.get(section))) {
      const hooks = memberOf(entry, 'hooks')
      checkPoints(hooks, findings)
      checkOwn(hooks, section, findings)
    }
  }
}

/** Hooks of one server, or of one agent, say so by where they stand. */
function checkOwn(
  hooks: SourceNode | undefined,
  section: 'mcpServers' | 'agents',
  findings: Findings,
): void {
  const kind = section === 'agents' ? 'agent' : 'server'
  for (const [key, node] of itemsOf(hooks)) {
    const { point, params } = readHookKey(key) ?? {}
    if (params?.server !== undefined) {
      findings.wrongKey(
        node,
        `expected no parameter server: these hooks are for this ${kind} alone`,
      )
    } else if (kind === 'server' && point !== undefined && turnPoints.includes(point)) {
      findings.warn(node, `has no effect here: the point ${point} is in the life of agents`)
    }
  }
}

/** What happens in a turn of an agent. */
const turnPoints = ['session', 'config', 'request', 'response', 'PreCompact', 'PostCompact']

function checkPoints(hooks: SourceNode | undefined, findings: Findings): void {
  for (const [key, node] of itemsOf(hooks)) {
    checkConditions(node, findings)
    const point = readHookKey(key)?.point
    if (point === undefined || isMessagePoint(point) || turnPoints.includes(point)) continue
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
