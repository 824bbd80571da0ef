import { type SourceNode, textOf, toList } from '../read/source-tree.ts'
import type { CanonicalContext } from './canonical-file.ts'

/** True for the name of a server that is built into nanobot. */
export function isNanobotServer(name: string): boolean {
  return name.startsWith('nanobot.')
}

/** References without those to what is built into nanobot, which are named. */
export function availableOf(node: SourceNode, { findings, agents }: CanonicalContext): SourceNode {
  if (node.kind !== 'list') return node
  const items = node.items.filter((item) => {
    const [server = ''] = (textOf(item) ?? '').split(/[/:]/, 1)
    if (!isNanobotServer(server) || agents.has(server)) return true
    findings.warn(
      item,
      `${server} is left out: the built-in servers of nanobot are not yet honoured`,
    )
    return false
  })
  return toList(node, items)
}
