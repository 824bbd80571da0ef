import type { Findings } from '../read/findings.ts'
import {
  isNothing,
  type SourceMap,
  type SourceNode,
  textOf,
  toList,
  toMap,
  toScalar,
} from '../read/source-tree.ts'
import type { CanonicalContext } from './canonical-file.ts'
import { canonicalHooks } from './canonical-hooks.ts'
import { asList, changeMembers, orEmpty, translateKeys, warned } from './change-nodes.ts'
import { laterAgentKeys } from './nanobot-keys.ts'
import { withoutPrograms } from './nanobot-programs.ts'
import { availableOf } from './nanobot-servers.ts'

/** The agents of one file, each entry in our own words. */
export function canonicalAgents(node: SourceNode, context: CanonicalContext): SourceNode {
  if (isNothing(node)) return toMap(node, new Map())
  return changeMembers(node, (entry, name) => canonicalAgent(entry, name, context))
}

/** nanobot's words in an agent for what means the same here. */
const synonyms = new Map([
  ['maxTokens', 'maxOutputTokens'],
  ['name', 'title'],
])

function canonicalAgent(entry: SourceNode, name: string, context: CanonicalContext): SourceNode {
  const said = orEmpty(entry)
  if (said.kind !== 'map') return said
  const translated = translateKeys(said, wordsFor(said), context.findings)
  return changeMembers(translated, (node, key) => {
    if (isWithoutEffect(key, node, name)) return undefined
    const kept = warned(node, hintOf(key, node), context.findings)
    return kept && canonicalMember(key, kept, context)
  })
}

/** A short name is what people read where nothing longer is said. */
function wordsFor({ members }: SourceMap): ReadonlyMap<string, string> {
  const named = members.has('name') || members.has('title')
  return named ? synonyms : new Map([...synonyms, ['shortName', 'title']])
}

/** True for what says no more than what holds anyway. */
function isWithoutEffect(key: string, node: SourceNode, name: string): boolean {
  const text = textOf(node)
  if (key === 'id') return text === name
  if (key === 'chat') return text === 'true'
  if (key === 'toolChoice') return text === 'auto'
  return key === 'maxOutputTokens' && text === '0'
}

function hintOf(key: string, node: SourceNode): string | undefined {
  if (key === 'shortName') return 'title says what people read'
  if (key === 'id') return 'an agent is called by its key, or by its file'
  if (key === 'chat' && textOf(node) === 'false') {
    return 'not yet honoured: every conversation is kept'
  }
  return laterAgentKeys.get(key)
}

const references = ['tools', 'agents', 'mcpServers', 'prompts', 'resources']

function canonicalMember(
  key: string,
  node: SourceNode,
  context: CanonicalContext,
): SourceNode | undefined {
  const { findings } = context
  if (references.includes(key)) return availableOf(asList(node), context)
  switch (key) {
    case 'aliases':
      return asList(node)
    case 'starterMessages':
      return splitMessages(node)
    case 'mode':
      return canonicalMode(node)
    case 'instructions':
      return canonicalInstructions(node, findings)
    case 'output':
      return changeMembers(node, (member, name) =>
        name === 'strict' ? warned(member, strictHint(member), findings) && undefined : member,
      )
    case 'reasoning':
      return canonicalReasoning(node, findings)
    case 'permissions':
      return changeMembers(node, (member, name) => canonicalAccess(member, name, findings))
    case 'hooks':
      return canonicalHooks(node)
    default:
      return node
  }
}

function strictHint(node: SourceNode): string | undefined {
  return textOf(node) === 'true' ? undefined : 'strictness is asked for wherever a schema allows it'
}

/** One text holds several, with commas between. */
function splitMessages(node: SourceNode): SourceNode {
  const text = textOf(node)
  if (node.kind !== 'scalar' || text === undefined) return node
  const messages = text.split(',').map((message) => message.trim())
  return toList(
    node,
    messages.filter(Boolean).map((message) => toScalar(node, message)),
  )
}

const chatModes = ['', 'primary', 'all']

function canonicalMode(node: SourceNode): SourceNode {
  return node.kind === 'scalar' && chatModes.includes(textOf(node) ?? 'chat')
    ? toScalar(node, 'chat')
    : node
}

const promptWords = new Map([
  ['mcpServer', 'server'],
  ['args', 'arguments'],
])

function canonicalInstructions(node: SourceNode, findings: Findings): SourceNode {
  if (node.kind === 'map') return translateKeys(node, promptWords, findings)
  return node.kind === 'scalar' ? withoutPrograms(node, findings) : node
}

/** An effort alone: `high`. */
function canonicalReasoning(node: SourceNode, findings: Findings): SourceNode | undefined {
  if (node.kind !== 'map') return node
  for (const [key, member] of node.members) {
    if (key === 'summary') findings.warn(member, `has no effect here: ${summaryHint}`)
    else if (key !== 'effort') {
      findings.wrongKey(member, 'unknown key; known here: effort', { code: 'UNKNOWN_KEY' })
    }
  }
  return node.members.get('effort')
}

const summaryHint = 'not yet honoured: what a model tells of its reasoning is shown as it comes'

/** nanobot's permissions give an agent tools that are built into it; without them it has none, as here. */
function canonicalAccess(
  node: SourceNode,
  name: string,
  findings: Findings,
): SourceNode | undefined {
  const access = textOf(node)
  if (access === 'deny') return undefined
  if (access !== 'allow') return node
  const what = name === '*' ? 'there are no built-in tools' : `there is no built-in tool ${name}`
  const cure = 'write tools, and permissions: { allow: [server/tool] }'
  return warned(node, `not yet honoured: ${what}; ${cure}`, findings)
}
