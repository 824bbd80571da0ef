import type { ConfigurationChanges, NamedChanges } from '@mobius-mcp/config'

const kinds = [
  ['servers', 'server'],
  ['agents', 'agent'],
  ['prompts', 'prompt'],
  ['providers', 'models of'],
  ['variables', 'variable'],
  ['groups', 'group'],
  ['hooks', 'hook'],
  ['permissions', 'rule'],
  ['keys', 'key'],
] as const

/** A line for each thing that is different, for people. */
export function describeChanges(changes: ConfigurationChanges): string[] {
  const lines = kinds.flatMap(([member, word]) => describeNamed(word, changes[member]))
  const { servers, agents, prompts } = changes
  // Who comes or goes is often all that clients see differently.
  const same = [servers, agents, prompts].every(isSameList)
  if (changes.publish && same) lines.push('what clients see: changed')
  if (changes.entrypoints && isSameList(agents))
    lines.push('the agents that people are led to: changed')
  if (changes.models) lines.push('names or prices of models: changed')
  if (changes.log) lines.push('log: changed, and needs a restart')
  for (const path of changes.needRestart) lines.push(`${path}: changed, and needs a restart`)
  const others = changes.http.filter((name) => !changes.needRestart.includes(`http.${name}`))
  for (const name of others) lines.push(`http.${name}: changed, and needs a restart`)
  return lines
}

function isSameList({ added, removed }: NamedChanges): boolean {
  return added.length + removed.length === 0
}

function describeNamed(word: string, { added, removed, changed }: NamedChanges): string[] {
  const of = (names: readonly string[], what: string) =>
    names.map((name) => `${word} ${name}: ${what}`)
  return [...of(added, 'added'), ...of(removed, 'removed'), ...of(changed, 'changed')]
}
