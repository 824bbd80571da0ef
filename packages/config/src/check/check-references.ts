import { readHookKey, targetReference } from '../hook-key.ts'
import { nearest } from '../nearest.ts'
import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode, textOf } from '../read/source-tree.ts'
import { splitAlias } from '../reference.ts'
import { reservedServerNames } from '../server-name.ts'

/** Every server that a reference may name. */
export function knownServerNames(root: SourceMap, others: readonly string[]): string[] {
  return [...configuredServers(root), ...reservedServerNames, ...others]
}

/**
 * Finds references to servers that do not exist. A slip in what is left out would publish it, and one
 * in a hook would never run it, so this is an error and not a warning.
 */
export function checkReferences(
  root: SourceMap,
  options: { readonly findings: Findings; readonly known: readonly string[] },
): void {
  const { findings, known } = options
  const configured = configuredServers(root)
  for (const { named, node, inKey } of referencesOf(root)) {
    const [server = ''] = named.split('/', 1)
    if (server.includes('*') || findings.concerns(node) || isMisplaced(server, findings)) continue
    // A server's name may hold a slash itself.
    if (known.some((name) => named === name || named.startsWith(`${name}/`))) continue
    const suggestion = nearest(server, known)
    const hint = suggestion
      ? `; did you mean ${suggestion}?`
      : `; configured: ${configured.join(', ') || 'none'}`
    const hidden = !inKey && node.kind === 'scalar' && node.references.length > 0
    const shown = hidden ? 'that has the name which was put in' : JSON.stringify(server)
    const message = `there is no server ${shown}${hint}`
    const finding = { code: 'UNKNOWN_SERVER', suggestion } as const
    if (inKey) findings.wrongKey(node, message, finding)
    else findings.wrongValue(node, message, finding)
  }
}

/** True for a server that stands at the wrong place, which was told. */
function isMisplaced(server: string, { problems }: Findings): boolean {
  return problems.some(({ suggestion }) => suggestion === `mcpServers.${server}`)
}

function configuredServers(root: SourceMap): string[] {
  const servers = root.members.get('mcpServers')
  return servers?.kind === 'map' ? [...servers.members.keys()] : []
}

interface FoundReference {
  /** `server` or `server/tool`. */
  readonly named: string
  readonly node: SourceNode
  /** True where the reference is a key, not a value. */
  readonly inKey: boolean
}

function referencesOf(root: SourceMap): FoundReference[] {
  const { members } = root
  const groups = itemsOf(members.get('groups'))
  const keys = itemsOf(memberOf(members.get('http'), 'keys'))
  const servers = itemsOf(members.get('mcpServers'))
  return [
    ...inPublish(members.get('publish')),
    ...groups.flatMap(([, group]) => inPublish(group)),
    ...keys.flatMap(([, key]) => inPublish(memberOf(key, 'publish'))),
    ...inHooks(members.get('hooks')),
    ...servers.flatMap(([, server]) => inHooks(memberOf(server, 'hooks'))),
  ]
}

function inPublish(publish: SourceNode | undefined): FoundReference[] {
  return itemsOf(publish).flatMap(([key, node]) =>
    itemsOf(node).map(([name, item]) => {
      const inKey = key === 'rename' || key === 'describe'
      const reference = inKey ? name : (textOf(item) ?? '')
      return { named: splitAlias(reference.replace(/^!/, '')).named, node: item, inKey }
    }),
  )
}

function inHooks(hooks: SourceNode | undefined): FoundReference[] {
  return itemsOf(hooks).flatMap(([key, list]) => {
    const server = readHookKey(key)?.params.server
    const targets = itemsOf(list).map(([, item]) => {
      const node = memberOf(item, 'target') ?? item
      return { named: targetReference(textOf(node) ?? ''), node, inKey: false }
    })
    return server === undefined ? targets : [{ named: server, node: list, inKey: true }, ...targets]
  })
}

function itemsOf(node: SourceNode | undefined): [string, SourceNode][] {
  if (node?.kind === 'map') return [...node.members]
  return node?.kind === 'list' ? node.items.map((item, index) => [`${index}`, item]) : []
}
