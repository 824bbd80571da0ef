import { readHookKey, targetReference } from '../hook-key.ts'
import { memberOf, type SourceMap, type SourceNode, textOf } from '../read/source-tree.ts'
import { splitAlias } from '../reference.ts'
import { itemsOf } from './items-of.ts'

/** A name that stands for something else of the configuration. */
export interface FoundReference {
  /** What it must be the name of; an agent is a server too. */
  readonly kind: 'server' | 'whole server' | 'agent' | 'prompt'
  /** `server` or `server/tool`; a name alone where no server is meant. */
  readonly named: string
  readonly node: SourceNode
  /** True where the reference is a key, not a value. */
  readonly inKey: boolean
}

/** All references, wherever they stand. */
export function referencesOf(root: SourceMap): FoundReference[] {
  const { members } = root
  const groups = itemsOf(members.get('groups'))
  const keys = itemsOf(memberOf(members.get('http'), 'keys'))
  const agents = itemsOf(members.get('agents'))
  const hooked = [...itemsOf(members.get('mcpServers')), ...agents]
  return [
    ...agents.flatMap(([, agent]) => inAgent(agent)),
    ...inPublish(members.get('publish')),
    ...groups.flatMap(([, group]) => inPublish(group)),
    ...keys.flatMap(([, key]) => inPublish(memberOf(key, 'publish'))),
    ...inHooks(members.get('hooks')),
    ...hooked.flatMap(([, entry]) => inHooks(memberOf(entry, 'hooks'))),
  ]
}

function inAgent(agent: SourceNode): FoundReference[] {
  const listed = (key: string, kind: FoundReference['kind']) =>
    itemsOf(memberOf(agent, key)).map(([, node]) => toReference(node, kind))
  return [
    ...listed('tools', 'server'),
    ...listed('prompts', 'server'),
    ...listed('resources', 'server'),
    ...listed('mcpServers', 'whole server'),
    ...listed('agents', 'agent'),
    ...inInstructions(memberOf(agent, 'instructions')),
  ]
}

/** A prompt of a server, or one of the file's own. */
function inInstructions(instructions: SourceNode | undefined): FoundReference[] {
  const server = memberOf(instructions, 'server')
  const prompt = memberOf(instructions, 'prompt')
  if (server)
    return [{ kind: 'whole server', named: textOf(server) ?? '', node: server, inKey: false }]
  return prompt ? [{ kind: 'prompt', named: textOf(prompt) ?? '', node: prompt, inKey: false }] : []
}

function toReference(node: SourceNode, kind: FoundReference['kind']): FoundReference {
  const { named } = splitAlias((textOf(node) ?? '').replace(/^!/, ''))
  return { kind, named, node, inKey: false }
}

function inPublish(publish: SourceNode | undefined): FoundReference[] {
  return itemsOf(publish).flatMap(([key, node]) =>
    itemsOf(node).map(([name, item]) => {
      const inKey = key === 'rename' || key === 'describe'
      if (!inKey) return toReference(item, 'server')
      return { kind: 'server', named: splitAlias(name).named, node: item, inKey }
    }),
  )
}

function inHooks(hooks: SourceNode | undefined): FoundReference[] {
  return itemsOf(hooks).flatMap(([key, list]) => {
    const server = readHookKey(key)?.params.server
    const targets = itemsOf(list).map(([, item]): FoundReference => {
      const node = memberOf(item, 'target') ?? item
      return { kind: 'server', named: targetReference(textOf(node) ?? ''), node, inKey: false }
    })
    if (server === undefined) return targets
    return [{ kind: 'server', named: server, node: list, inKey: true }, ...targets]
  })
}
