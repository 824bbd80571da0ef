import { type SourceNode, textOf, toList, toMap } from '../read/source-tree.ts'
import type { CanonicalContext } from './canonical-file.ts'
import { asList } from './change-nodes.ts'
import { laterPublishKeys, publishLists } from './nanobot-keys.ts'
import { availableOf } from './nanobot-servers.ts'

/**
 * What is published, as a map: a list says what to include; the many lists of nanobot become one,
 * that of its servers.
 */
export function canonicalPublish(node: SourceNode, context: CanonicalContext): SourceNode {
  if (node.kind === 'list') {
    return toMap(node, new Map([['include', availableOf(node, context)]]))
  }
  if (node.kind !== 'map') return node
  const members = new Map<string, SourceNode>()
  const named: SourceNode[] = []
  for (const [key, value] of node.members) {
    const hint = laterPublishKeys.get(key)
    if (hint !== undefined) context.findings.warn(value, `has no effect here: ${hint}`)
    else if (key === 'entrypoint') members.set(key, availableOf(asList(value), context))
    else if (publishLists.includes(key)) named.push(...namedBy(key, value, context))
    else members.set(key, value)
  }
  // All that such a list names may be left out: then it says that there is nothing.
  if (publishLists.some((key) => node.members.has(key))) {
    members.set('mcpServers', toList(node.members.get('mcpServers') ?? node, named))
  }
  return toMap(node, members)
}

function namedBy(key: string, node: SourceNode, context: CanonicalContext): SourceNode[] {
  const available = availableOf(asList(node), context)
  const items = available.kind === 'list' ? [...available.items] : []
  if (key === 'mcpServers' || key === 'agents') return items
  for (const item of items) {
    const name = textOf(item)?.split(':', 1)[0] ?? ''
    const whole = !name.includes('/') && !context.agents.has(name) && !context.prompts.has(name)
    if (whole) context.findings.warn(item, `publishes all of the server, not its ${key} alone`)
  }
  return items
}
