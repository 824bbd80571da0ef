import type { Findings } from '../read/findings.ts'
import {
  isNothing,
  type SourceMap,
  type SourceNode,
  textOf,
  toMap,
  toScalar,
} from '../read/source-tree.ts'
import { canonicalHooks } from './canonical-hooks.ts'
import { asWritten, changeMembers, warned } from './change-nodes.ts'
import { foreignOAuthKey, foreignServerKey, synonymOf } from './foreign-keys.ts'
import { laterServerKeys } from './nanobot-keys.ts'
import { isNanobotServer } from './nanobot-servers.ts'

/** The servers of one file, each entry in our own words. */
export function canonicalServers(node: SourceNode, findings: Findings): SourceNode {
  // All its entries may be commented out.
  if (isNothing(node)) return toMap(node, new Map())
  if (node.kind !== 'map') return node
  const servers = new Map<string, SourceNode>()
  for (const [name, entry] of node.members) {
    if (entry.kind !== 'map') servers.set(name, entry)
    else if (isNanobotServer(name) && entry.members.size === 0) {
      findings.warn(entry, 'is left out: the built-in servers of nanobot are not yet honoured')
    } else servers.set(name, canonicalServer(entry, findings))
  }
  return toMap(node, servers)
}

function canonicalServer(entry: SourceMap, findings: Findings): SourceMap {
  const members = new Map<string, SourceNode>()
  for (const [key, node] of entry.members) {
    const own = synonymOf(key)
    if (key === 'disabled') addEnabled(entry, node, members, findings)
    else if (own !== undefined) addSynonym(own, node, { entry, members, findings })
    else if (!isForeign(key, node, entry, findings)) {
      members.set(key, canonicalMember(key, node, findings))
    }
  }
  return toMap(entry, members)
}

function addEnabled(
  entry: SourceMap,
  disabled: SourceNode,
  members: Map<string, SourceNode>,
  findings: Findings,
): void {
  const value = textOf(disabled)
  const enabled = textOf(entry.members.get('enabled'))
  if (value !== 'true' && value !== 'false') {
    findings.wrongValue(disabled, 'expected true or false')
  } else if (enabled === value) {
    findings.wrongKey(disabled, `contradicts enabled: ${enabled}; one of the two must go`)
  }
  members.set('enabled', toScalar(disabled, value !== 'true'))
}

function addSynonym(
  own: string,
  node: SourceNode,
  to: { entry: SourceMap; members: Map<string, SourceNode>; findings: Findings },
): void {
  if (to.entry.members.has(own)) {
    to.findings.wrongKey(node, `means the same as ${own}; one of the two must go`)
  } else to.members.set(own, node)
}

function isForeign(key: string, node: SourceNode, entry: SourceMap, findings: Findings): boolean {
  const hint = foreignHint(key, node)
  if (hint === undefined) return false
  findings.warn(node, `has no effect here: ${hint}`)
  // A program that is reached at a URL cannot be had by starting it alone.
  return key !== 'ports' || !entry.members.has('url')
}

function foreignHint(key: string, node: SourceNode): string | undefined {
  if (key === 'tools' && node.kind === 'list') {
    // Some clients list here what a server may show.
    return 'as a list it belongs to another client; write publish: [server/tool]'
  }
  return foreignServerKey(key) ?? laterServerKeys.get(key)
}

function canonicalMember(key: string, node: SourceNode, findings: Findings): SourceNode {
  switch (key) {
    case 'args':
      return node.kind === 'list' ? { ...node, items: node.items.map(asWritten) } : node
    case 'env':
    case 'headers':
      return changeMembers(node, asWritten)
    case 'hooks':
      return canonicalHooks(node)
    case 'oauth':
      return changeMembers(node, (value, name) => warned(value, foreignOAuthKey(name), findings))
    case 'toolOverrides':
      return changeMembers(node, (override) =>
        changeMembers(override, (value, name) => warned(value, overrideHints.get(name), findings)),
      )
    default:
      return node
  }
}

const overrideHints = new Map([['inputSchema', 'what a tool takes cannot be replaced yet']])
