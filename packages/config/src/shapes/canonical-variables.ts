import type { Findings } from '../read/findings.ts'
import { isNothing, type SourceNode, toMap } from '../read/source-tree.ts'
import { asList, asWritten, changeMembers, orEmpty, translateKeys, warned } from './change-nodes.ts'
import { laterVariableKeys } from './nanobot-keys.ts'

const synonyms = new Map([['sensitive', 'secret']])

/** The declarations of one file: a text alone is a description. */
export function canonicalVariables(node: SourceNode, findings: Findings): SourceNode {
  if (isNothing(node)) return toMap(node, new Map())
  return changeMembers(node, (written) => {
    const entry = orEmpty(written)
    if (entry.kind === 'scalar' && !isNothing(entry)) {
      return toMap(entry, new Map([['description', entry]]))
    }
    if (entry.kind !== 'map') return entry
    return changeMembers(translateKeys(entry, synonyms, findings), (member, key) => {
      const kept = warned(member, laterVariableKeys.get(key), findings)
      return kept && canonicalMember(key, kept)
    })
  })
}

function canonicalMember(key: string, node: SourceNode): SourceNode {
  if (key === 'default') return asWritten(node)
  if (key !== 'options') return node
  const options = asList(node)
  return options.kind === 'list' ? { ...options, items: options.items.map(asWritten) } : options
}
