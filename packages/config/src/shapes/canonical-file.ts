import type { Findings } from '../read/findings.ts'
import { isNothing, type SourceMap, type SourceNode, toMap } from '../read/source-tree.ts'
import { inputVariable } from '../values/expand-text.ts'
import { canonicalAgents } from './canonical-agents.ts'
import { canonicalHooks } from './canonical-hooks.ts'
import { canonicalModels } from './canonical-models.ts'
import { canonicalPrompts } from './canonical-prompts.ts'
import { canonicalPublish } from './canonical-publish.ts'
import { canonicalServers } from './canonical-servers.ts'
import { canonicalVariables } from './canonical-variables.ts'
import { changeMembers } from './change-nodes.ts'
import { looksLikeServer, recogniseShape } from './file-shape.ts'
import { foreignTopKey } from './foreign-keys.ts'
import { laterKeys } from './nanobot-keys.ts'
import { layerKeys, nanobotModels, ownSections } from './section-keys.ts'

/** A file in our own shape, and what stands beside it. */
export interface CanonicalFile {
  readonly root: SourceMap
  readonly extends: SourceNode | undefined
  readonly profiles: SourceNode | undefined
  /** What an editor would offer where it asks the person, by the input's id. */
  readonly inputs: ReadonlyMap<string, string>
}

/**
 * Brings every shape of file into the one that files are merged in: without what belongs to other
 * clients or is not yet honoured, which is reported, and with every short form written out.
 */
export function canonicalFile(whole: SourceNode, findings: Findings): CanonicalFile {
  const written = toFileMap(whole, findings)
  const file = recogniseShape(written, findings)
  const { members } = file
  const context = {
    findings,
    agents: keysOf(members.get('agents')),
    prompts: keysOf(members.get('prompts')),
  }
  const root = new Map<string, SourceNode>()
  for (const [key, node] of members) {
    if (isSetAside(key, node, findings)) continue
    root.set(key, canonicalSection(key, node, context))
  }
  const models = canonicalModels(members.get('models'), members.get(nanobotModels), findings)
  if (models) root.set('models', models)
  return {
    root: toMap(file, root),
    extends: members.get('extends'),
    profiles: members.get('profiles'),
    inputs: readInputs(members.get('inputs'), findings),
  }
}

export interface CanonicalContext {
  readonly findings: Findings
  /** Names of the file's agents. */
  readonly agents: ReadonlySet<string>
  /** Names of the file's prompts. */
  readonly prompts: ReadonlySet<string>
}

function keysOf(node: SourceNode | undefined): ReadonlySet<string> {
  return new Set(node?.kind === 'map' ? node.members.keys() : [])
}

function toFileMap(node: SourceNode, findings: Findings): SourceMap {
  if (node.kind === 'map') return node
  // An empty file configures nothing.
  if (!isNothing(node)) {
    const received = node.kind === 'list' ? 'a list' : JSON.stringify(node.value)
    findings.wrongValue(node, `expected a map, received ${received.slice(0, 60)}`)
  }
  return toMap(node, new Map())
}

function isSetAside(key: string, node: SourceNode, findings: Findings): boolean {
  const layer: readonly string[] = layerKeys
  if (key === '$schema' || key === 'inputs' || key === nanobotModels || layer.includes(key)) {
    return true
  }
  const later = laterKeys.get(key)
  const hint = later ?? foreignTopKey(key)
  if (hint !== undefined) {
    const names = later && node.kind === 'map' ? [...node.members.keys()].join(', ') : ''
    findings.warn(node, `has no effect here: ${hint}${names && ` (${names})`}`)
    return true
  }
  const sections: readonly string[] = ownSections
  if (key === 'mcpServers' || sections.includes(key) || !looksLikeServer(node)) return false
  findings.wrongKey(node, 'looks like a server; servers stand under mcpServers', {
    code: 'UNKNOWN_KEY',
    suggestion: `mcpServers.${key}`,
  })
  return true
}

function canonicalSection(key: string, node: SourceNode, context: CanonicalContext): SourceNode {
  switch (key) {
    case 'mcpServers':
      return canonicalServers(node, context.findings)
    case 'agents':
      return canonicalAgents(node, context)
    case 'prompts':
      return canonicalPrompts(node, context.findings)
    case 'env':
      return canonicalVariables(node, context.findings)
    case 'publish':
      return canonicalPublish(node, context)
    case 'groups':
      return changeMembers(node, (group) => canonicalPublish(group, context))
    case 'hooks':
      return canonicalHooks(node)
    case 'http':
      return canonicalHttp(node, context)
    default:
      return node
  }
}

function canonicalHttp(http: SourceNode, context: CanonicalContext): SourceNode {
  const publishOf = (key: SourceNode) =>
    changeMembers(key, (node, name) =>
      name === 'publish' ? canonicalPublish(node, context) : node,
    )
  return changeMembers(http, (node, name) =>
    name === 'keys' && node.kind === 'list' ? { ...node, items: node.items.map(publishOf) } : node,
  )
}

function readInputs(node: SourceNode | undefined, findings: Findings): Map<string, string> {
  const inputs = new Map<string, string>()
  if (node?.kind !== 'list') return inputs
  for (const item of node.items) {
    const id = scalarText(item, 'id')
    if (id === undefined) continue
    const fallback = scalarText(item, 'default')
    if (fallback !== undefined) inputs.set(id, fallback)
    findings.warn(
      item,
      `nobody is asked here: \${input:${id}} is the variable ${inputVariable(id)}`,
    )
  }
  return inputs
}

function scalarText(node: SourceNode, key: string): string | undefined {
  const member = node.kind === 'map' ? node.members.get(key) : undefined
  return member?.kind === 'scalar' ? member.text : undefined
}
