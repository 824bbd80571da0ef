import { nearest } from '../nearest.ts'
import type { Findings } from '../read/findings.ts'
import {
  isNothing,
  type SourceMap,
  type SourceNode,
  textOf,
  toMap,
  toScalar,
} from '../read/source-tree.ts'
import { checkServerName, isReservedServerName } from '../server-name.ts'
import { ourWord } from './foreign-keys.ts'

type ServerType = 'stdio' | 'http' | 'sse'

const types = new Map<string, ServerType>([
  ['stdio', 'stdio'],
  ['local', 'stdio'],
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
 * Says of each server how it is reached, when all files are merged. One of which that cannot be told
 * is reported and left out.
 */
export function resolveServers(root: SourceMap, findings: Findings): SourceMap {
  const node = root.members.get('mcpServers')
  const servers = node ? resolveAll(node, findings) : toMap(root, new Map())
  return toMap(root, new Map([...root.members, ['mcpServers', servers]]))
}

function resolveAll(node: SourceNode, findings: Findings): SourceNode {
  if (isNothing(node)) return toMap(node, new Map())
  if (node.kind !== 'map') return node
  const servers = new Map<string, SourceNode>()
  for (const [name, entry] of node.members) {
    checkName(name, entry, findings)
    const resolved = entry.kind === 'map' ? resolveServer(entry, findings) : entry
    if (resolved) servers.set(name, resolved)
  }
  return toMap(node, servers)
}

function checkName(name: string, entry: SourceNode, findings: Findings): void {
  if (isReservedServerName(name)) {
    const message = `${name} is the name of a built-in server; choose another, such as my-${name}`
    findings.wrongKey(entry, message, { code: 'RESERVED_NAME', suggestion: `my-${name}` })
  }
  const expected = checkServerName(name)
  if (expected) findings.wrongKey(entry, `expected ${expected}`)
}

function resolveServer(entry: SourceMap, findings: Findings): SourceMap | undefined {
  const members = new Map(entry.members)
  const ports = members.get('ports')
  members.delete('ports')
  if (ports && members.has('command')) {
    // Known by name, and off: no client waits for what cannot be reached.
    members.delete('url')
    members.set('enabled', toScalar(ports, false))
  }
  const type = typeOf(toMap(entry, members), findings)
  if (!type) return undefined
  return toMap(entry, members.set('type', toScalar(members.get('type') ?? entry, type)))
}

function typeOf(entry: SourceMap, findings: Findings): ServerType | undefined {
  const written = entry.members.get('type')
  if (!written) return guessType(entry, findings)
  const word = textOf(written)
  const type = word === undefined ? undefined : types.get(word)
  if (!type) {
    const suggestion = word === undefined ? undefined : nearest(word, types.keys())
    const message = `expected stdio, http or sse${suggestion ? `; did you mean ${suggestion}?` : ''}`
    findings.wrongValue(written, message, { suggestion })
  }
  return type
}

function guessType(entry: SourceMap, findings: Findings): ServerType | undefined {
  const keys = [...entry.members.keys()]
  if (keys.includes('command') && keys.includes('url')) {
    const message = 'has both command and url; type: stdio, http or sse says which is meant'
    findings.wrongKey(entry, message, { code: 'MISSING_KEY' })
    return undefined
  }
  const [type] = [...keys, ...keys.map(meantKey)].flatMap((key) => typeByKey.get(key) ?? [])
  if (!type) {
    const message = 'expected command, for a program to start, or url, for a server elsewhere'
    findings.wrongKey(entry, message, { code: 'MISSING_KEY' })
  }
  return type
}

/** So that a slip in `command` is reported as that alone. */
function meantKey(key: string): string {
  return ourWord(key) ?? nearest(key, typeByKey.keys()) ?? key
}
