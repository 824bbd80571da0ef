import type { Findings } from './findings.ts'
import { foreignServerKey, ourWord } from './foreign-keys.ts'
import { nearest } from './nearest.ts'
import { type SourceMap, type SourceNode, toData } from './source-tree.ts'

type ServerType = 'stdio' | 'http' | 'sse'

const types = new Map<string, ServerType>([
  ['stdio', 'stdio'],
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['sse', 'sse'],
])

const typeByKey = new Map<string, ServerType>([
  ['command', 'stdio'],
  ['url', 'http'],
])

/**
 * One server's entry for the schema: its type written out, `disabled` as `enabled`, and other
 * clients' settings left out. `undefined` where it cannot be told how to reach the server, which is
 * then reported.
 */
export function normaliseServer(
  entry: SourceMap,
  path: readonly string[],
  findings: Findings,
): Record<string, unknown> | undefined {
  const type = typeOf(entry, path, findings)
  const members: [string, unknown][] = []
  for (const [key, node] of entry.members) {
    if (key === 'type') continue
    if (key === 'disabled') members.push(readDisabled(entry, [...path, key], findings))
    else if (!isForeign(key, node, [...path, key], findings)) members.push([key, dataOf(key, node)])
  }
  return type && { ...Object.fromEntries(members), type }
}

function typeOf(
  entry: SourceMap,
  path: readonly string[],
  findings: Findings,
): ServerType | undefined {
  const written = entry.members.get('type')
  if (!written) return guessType(entry, path, findings)
  const word = written.kind === 'scalar' ? written.text : undefined
  const type = word === undefined ? undefined : types.get(word)
  if (!type) {
    const suggestion = word === undefined ? undefined : nearest(word, types.keys())
    const message = `expected stdio, http or sse${suggestion ? `; did you mean ${suggestion}?` : ''}`
    findings.wrongValue([...path, 'type'], message, { suggestion })
  }
  return type
}

function guessType(
  entry: SourceMap,
  path: readonly string[],
  findings: Findings,
): ServerType | undefined {
  const keys = [...entry.members.keys()]
  if (keys.includes('command') && keys.includes('url')) {
    const message = 'has both command and url; type: stdio, http or sse says which is meant'
    findings.wrongKey(path, message, { code: 'MISSING_KEY' })
    return undefined
  }
  const [type] = [...keys, ...keys.map(meantKey)].flatMap((key) => typeByKey.get(key) ?? [])
  if (!type) {
    const message = 'expected command, for a program to start, or url, for a server elsewhere'
    findings.wrongKey(path, message, { code: 'MISSING_KEY' })
  }
  return type
}

/** So that a slip in `command` is reported as that alone. */
function meantKey(key: string): string {
  return ourWord(key) ?? nearest(key, typeByKey.keys()) ?? key
}

function readDisabled(
  entry: SourceMap,
  path: readonly string[],
  findings: Findings,
): [string, boolean] {
  const disabled = entry.members.get('disabled')
  const enabled = entry.members.get('enabled')
  const value = disabled?.kind === 'scalar' ? disabled.text : undefined
  if (value !== 'true' && value !== 'false') {
    findings.wrongValue(path, 'expected true or false')
  } else if (enabled?.kind === 'scalar' && enabled.text === value) {
    findings.wrongKey(path, `contradicts enabled: ${enabled.text}; one of the two must go`)
  }
  return ['enabled', value !== 'true']
}

function isForeign(
  key: string,
  node: SourceNode,
  path: readonly string[],
  findings: Findings,
): boolean {
  // Some clients list here what a server may show.
  const hint =
    key === 'tools' && node.kind === 'list'
      ? 'as a list it belongs to another client; write publish: [server/tool]'
      : foreignServerKey(key)
  if (hint === undefined) return false
  findings.warn(path, `has no effect here: ${hint}`)
  return true
}

/** Numbers and booleans among what a process or a server is handed are text as it was written. */
function dataOf(key: string, node: SourceNode): unknown {
  if (key === 'args' && node.kind === 'list') return node.items.map(textOf)
  if ((key === 'env' || key === 'headers') && node.kind === 'map') {
    return Object.fromEntries([...node.members].map(([name, value]) => [name, textOf(value)]))
  }
  return toData(node)
}

function textOf(node: SourceNode): unknown {
  return node.kind === 'scalar' ? node.text : toData(node)
}
