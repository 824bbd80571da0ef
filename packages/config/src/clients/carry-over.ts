import type { Findings } from '../read/findings.ts'
import {
  type SourceMap,
  type SourceNode,
  textOf,
  toList,
  toMap,
  toScalar,
} from '../read/source-tree.ts'
import type { ClientKind } from './client-files.ts'

/** A client's entry in words that files here have, with its references as they are written here. */
export function carryOver(
  entry: SourceMap,
  client: ClientKind | undefined,
  findings: Findings,
): SourceMap {
  const change = client && changes[client]
  return change ? change(entry, findings) : entry
}

type Change = (entry: SourceMap, findings: Findings) => SourceMap

const changes: Readonly<Partial<Record<ClientKind, Change>>> = {
  'claude-code': (entry) => withTimeout(entry, 'total'),
  codex: fromCodex,
  gemini: (entry) => withTimeout(fromGemini(entry), 'request'),
  opencode: fromOpenCode,
  zed: fromZed,
}

/** A number of milliseconds, as these clients count. */
function withTimeout(entry: SourceMap, limit: string): SourceMap {
  const timeout = entry.members.get('timeout')
  if (timeout?.kind !== 'scalar' || typeof timeout.value !== 'number') return entry
  const timeouts = toMap(timeout, new Map([[limit, toScalar(timeout, `${timeout.value}ms`)]]))
  return changeKeys(entry, { timeout: () => [['timeouts', timeouts]] })
}

/** `url` alone is the older HTTP with SSE there. */
function fromGemini(entry: SourceMap): SourceMap {
  const { members } = entry
  const url = members.get('url')
  if (!url || members.has('type') || members.has('httpUrl')) return entry
  return toMap(entry, new Map([...members, ['type', toScalar(url, 'sse')]]))
}

function fromZed(entry: SourceMap): SourceMap {
  return changeKeys(entry, {
    source: () => [],
    // How it was written until 2025.
    command: (command) =>
      command.kind === 'map'
        ? [...command.members].map(([key, node]) => [key === 'path' ? 'command' : key, node])
        : [['command', command]],
  })
}

function fromOpenCode(entry: SourceMap, findings: Findings): SourceMap {
  return changeKeys(entry, {
    type: (type) => (textOf(type) === 'local' || textOf(type) === 'remote' ? [] : [['type', type]]),
    environment: (environment) => [['env', environment]],
    command: (command) => {
      const [program, ...args] = command.kind === 'list' ? command.items : []
      if (command.kind !== 'list' || !program) return [['command', command]]
      return [
        ['command', program],
        ['args', toList(command, args)],
      ]
    },
    timeout: dropped('timeout', findings),
  })
}

function fromCodex(entry: SourceMap, findings: Findings): SourceMap {
  const env: [string, SourceNode][] = []
  const headers: [string, SourceNode][] = []
  const oauth: [string, SourceNode][] = []
  const changed = changeKeys(entry, {
    env: (node) => collect(env, membersOf(node)),
    env_vars: (node) => collect(env, itemsOf(node).flatMap(forwarded)),
    http_headers: (node) => collect(headers, membersOf(node)),
    env_http_headers: (node) =>
      collect(
        headers,
        membersOf(node).map(([name, item]) => [name, variable(item)]),
      ),
    bearer_token_env_var: (node) =>
      collect(headers, [['Authorization', variable(node, 'Bearer ')]]),
    scopes: (node) => collect(oauth, [['scopes', node]]),
    oauth: (node) =>
      collect(
        oauth,
        membersOf(node).map(([key, item]) => [key === 'client_id' ? 'clientId' : key, item]),
      ),
    tool_timeout_sec: (node) => [['timeouts', toMap(node, new Map([['total', node]]))]],
    ...Object.fromEntries(codexOnly.map((key) => [key, dropped(key, findings)])),
  })
  const gathered = [
    ['env', env],
    ['headers', headers],
    ['oauth', oauth],
  ] as const
  const more = gathered.flatMap(([key, members]) =>
    members.length === 0 ? [] : [[key, toMap(entry, new Map(members))] as const],
  )
  return toMap(changed, new Map([...changed.members, ...more]))
}

const codexOnly = [
  'startup_timeout_sec',
  'startup_timeout_ms',
  'enabled_tools',
  'disabled_tools',
  'required',
  'oauth_resource',
  'default_tools_approval_mode',
  'supports_parallel_tool_calls',
  'experimental_environment',
  'tools',
]

/** A variable that is handed on under its own name. */
function forwarded(item: SourceNode): [string, SourceNode][] {
  const name = item.kind === 'map' ? item.members.get('name') : item
  const text = textOf(name)
  return name && text ? [[text, variable(name)]] : []
}

function variable(node: SourceNode, before = ''): SourceNode {
  return toScalar(node, `${before}\${${textOf(node) ?? ''}}`)
}

type Members = readonly (readonly [string, SourceNode])[]

function collect(into: [string, SourceNode][], members: Members): Members {
  into.push(...members.map(([key, node]): [string, SourceNode] => [key, node]))
  return []
}

function dropped(key: string, findings: Findings): (node: SourceNode) => Members {
  const hint = hints.get(key) ?? 'it belongs to another client'
  return (node) => {
    findings.warn(node, `has no effect here: ${hint}`)
    return []
  }
}

const hints = new Map([
  ['disabled_tools', 'write publish: { exclude: [server/tool] }'],
  ['enabled_tools', 'write publish: [server/tool]'],
  ['startup_timeout_ms', 'a server is started when it is first used'],
  ['startup_timeout_sec', 'a server is started when it is first used'],
  ['timeout', 'clients differ in what it limits; write timeouts: { request: 30s }'],
])

function changeKeys(
  entry: SourceMap,
  to: Readonly<Record<string, (node: SourceNode) => Members>>,
): SourceMap {
  const members = [...entry.members].flatMap(([key, node]): Members => {
    const change = Object.hasOwn(to, key) ? to[key] : undefined
    return change ? change(node) : [[key, node]]
  })
  return toMap(entry, new Map(members))
}

function membersOf(node: SourceNode): [string, SourceNode][] {
  return node.kind === 'map' ? [...node.members] : []
}

function itemsOf(node: SourceNode): readonly SourceNode[] {
  return node.kind === 'list' ? node.items : []
}
