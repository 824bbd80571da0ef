import { type SourceNode, textOf, toList, toMap } from '../read/source-tree.ts'
import type { CanonicalContext } from './canonical-file.ts'
import { isNanobotServer, laterPublishKeys, publishLists } from './nanobot-keys.ts'

/** What is published, as a map: a list says what to include, and so do the many lists of nanobot. */
export function canonicalPublish(node: SourceNode, context: CanonicalContext): SourceNode {
  if (node.kind === 'list') {
    return toMap(node, new Map([['include', availableOf(node, context)]]))
  }
  if (node.kind !== 'map') return node
  const members = new Map<string, SourceNode>()
  const include: SourceNode[] = []
  for (const [key, value] of node.members) {
    const hint = laterPublishKeys.get(key)
    if (hint !== undefined) context.findings.warn(value, `has no effect here: ${hint}`)
    else if (publishLists.includes(key)) include.push(...includedBy(key, value, context))
    else members.set(key, value)
  }
  const own = members.get('include')
  // All that such a list names may be left out: then it says that there is nothing.
  if (publishLists.some((key) => node.members.has(key))) {
    const items = [...(own?.kind === 'list' ? own.items : []), ...include]
    members.set('include', toList(own ?? node, items))
  }
  return toMap(node, members)
}

function includedBy(key: string, node: SourceNode, context: CanonicalContext): SourceNode[] {
  const list = node.kind === 'list' ? node : toList(node, [node])
  const available = availableOf(list, context)
  const items = available.kind === 'list' ? [...available.items] : []
  for (const item of items) {
    const whole = key !== 'mcpServers' && key !== 'entrypoint' && !textOf(item)?.includes('/')
    if (whole) context.findings.warn(item, `publishes all of the server, not its ${key} alone`)
  }
  return items
}

/** Without references to agents and to what is built into nanobot. */
function availableOf(node: SourceNode, { findings, unavailable }: CanonicalContext): SourceNode {
  if (node.kind !== 'list') return node
  const items = node.items.filter((item) => {
    const [server = ''] = (textOf(item) ?? '').split(/[/:]/, 1)
    const agent = unavailable.has(server)
    if (!agent && !isNanobotServer(server)) return true
    const kind = agent ? 'agents' : 'the built-in servers of nanobot'
    findings.warn(item, `${server} is left out: ${kind} are not yet honoured`)
    return false
  })
  return toList(node, items)
}
