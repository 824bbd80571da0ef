import { concernsServer, isRuleError, parseRule, type Rule } from '@mobius-mcp/permissions'
import { nearest } from '../nearest.ts'
import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode, textOf } from '../read/source-tree.ts'
import { itemsOf } from './items-of.ts'

/**
 * Finds rules that cannot be read, and those about a server that does not exist: a slip in what is
 * denied would allow it.
 */
export function checkRules(
  root: SourceMap,
  { findings, known }: { readonly findings: Findings; readonly known: readonly string[] },
): void {
  const reader = createRuleReader(findings)
  const agents = itemsOf(root.members.get('agents'))
  const lists = [
    root.members.get('permissions'),
    ...agents.map(([, agent]) => memberOf(agent, 'permissions')),
  ]
  for (const node of lists.flatMap(rulesIn)) {
    if (findings.concerns(node)) continue
    const rule = reader(node)
    if (rule) checkServer(rule, node, { findings, known })
  }
}

function rulesIn(permissions: SourceNode | undefined): SourceNode[] {
  return ['allow', 'ask', 'deny'].flatMap((kind) =>
    itemsOf(memberOf(permissions, kind)).map(([, rule]) => rule),
  )
}

/** Says what a rule is with the first that is none, and not again. */
export function createRuleReader(findings: Findings): (node: SourceNode) => Rule | undefined {
  let explained = false
  return (node) => {
    try {
      return parseRule(textOf(node) ?? '')
    } catch (error) {
      if (!isRuleError(error)) throw error
      const [reason = ''] = error.message.split(' A rule is ', 1)
      const message = explained ? reason : error.message
      explained = true
      const shown = isHidden(node) ? 'what was put in is no rule' : message
      findings.wrongValue(node, shown, { code: 'WRONG_RULE' })
      return undefined
    }
  }
}

function checkServer(
  rule: Rule,
  node: SourceNode,
  { findings, known }: { readonly findings: Findings; readonly known: readonly string[] },
): void {
  const [server = ''] = rule.target[0]?.split('/', 1) ?? []
  // The server that a * is part of may come later.
  const open = rule.target.length > 1 && !rule.target[0]?.includes('/')
  if (open || known.some((name) => concernsServer(rule, name))) return
  const suggestion = nearest(server, known)
  const hint = suggestion ? `; did you mean ${suggestion}?` : ''
  const shown = isHidden(node) ? 'that has the name which was put in' : JSON.stringify(server)
  const message = `there is no server ${shown}${hint}`
  findings.wrongValue(node, message, { code: 'UNKNOWN_SERVER', suggestion })
}

function isHidden(node: SourceNode): boolean {
  return node.kind === 'scalar' && node.references.length > 0
}
