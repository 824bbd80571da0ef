import type { Findings } from '../read/findings.ts'
import {
  isNothing,
  memberOf,
  type SourceMap,
  type SourceNode,
  textOf,
  toMap,
  toScalar,
} from '../read/source-tree.ts'
import { asWritten, changeMembers, translateKeys } from './change-nodes.ts'
import { nanobotDialects } from './nanobot-keys.ts'

/** Other programs' words in a provider for what means the same here. */
const synonyms = new Map([
  ['apiKey', 'key'],
  ['baseURL', 'baseUrl'],
  ['type', 'dialect'],
])

/** The models of one file, each provider in our own words; nanobot's providers are among them. */
export function canonicalModels(
  models: SourceNode | undefined,
  providers: SourceNode | undefined,
  findings: Findings,
): SourceNode | undefined {
  const own = models && changeMembers(models, (node, key) => canonicalMember(key, node, findings))
  if (!providers) return own
  const added = canonicalProviders(providers, true, findings)
  if (!own || isNothing(own)) return toMap(providers, new Map([['providers', added]]))
  if (own.kind !== 'map' || added.kind !== 'map') return own
  return toMap(own, new Map([...own.members, ['providers', joined(own, added, findings)]]))
}

function canonicalMember(key: string, node: SourceNode, findings: Findings): SourceNode {
  return key === 'providers' ? canonicalProviders(node, false, findings) : node
}

function joined(models: SourceMap, added: SourceMap, findings: Findings): SourceNode {
  const own = memberOf(models, 'providers')
  if (own?.kind !== 'map') return added
  for (const [name, node] of added.members) {
    if (own.members.has(name)) {
      findings.wrongKey(node, `stands under models.providers too; one of the two must go`)
    }
  }
  return toMap(own, new Map([...own.members, ...added.members]))
}

/** `nanobot` where it is nanobot that says them: its default is another one. */
function canonicalProviders(node: SourceNode, nanobot: boolean, findings: Findings): SourceNode {
  if (isNothing(node)) return toMap(node, new Map())
  return changeMembers(node, (entry, name) => {
    if (entry.kind !== 'map') return entry
    const translated = translateKeys(entry, synonyms, findings)
    const dialect = textOf(translated.members.get('dialect'))
    if (dialect === 'BifrostRequest') {
      findings.warn(entry, 'is left out: the dialect BifrostRequest is not yet honoured')
      return undefined
    }
    return canonicalProvider(translated, nanobot && !knownNames.includes(name))
  })
}

const knownNames = ['openai', 'anthropic']

function canonicalProvider(entry: SourceMap, speaksResponses: boolean): SourceMap {
  const members = new Map(entry.members)
  const dialect = members.get('dialect')
  const text = textOf(dialect) ?? ''
  const own = nanobotDialects.get(text)
  if (dialect && own) members.set('dialect', toScalar(dialect, own))
  else if (speaksResponses && text === '') {
    members.set('dialect', toScalar(dialect ?? entry, 'openai-responses'))
  }
  const headers = members.get('headers')
  if (headers) members.set('headers', changeMembers(headers, asWritten))
  return toMap(entry, members)
}
