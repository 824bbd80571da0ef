import { nearest } from './nearest.ts'

/** A point and what must hold there, as `tools/call?direction=request` says it. */
export interface HookKey {
  readonly point: string
  readonly params: Readonly<Record<string, string>>
}

/** A target and whether it may change what it sees, as `!mutate:server/tool` says it. */
export interface HookTarget {
  /** `server/tool`: never split before the servers are known, for their names may hold slashes. */
  readonly reference: string
  readonly mutate: boolean
}

// Methods of one's own may be hooked too: only what everybody would take for a slip is one.
const points = [
  'initialize',
  'ping',
  'completion/complete',
  'elicitation/create',
  'logging/setLevel',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'roots/list',
  'sampling/createMessage',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tools/call',
  'tools/list',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/message',
  'notifications/progress',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/roots/list_changed',
  'notifications/tools/list_changed',
]

const params = ['callOnError', 'direction', 'method', 'name', 'server']

const keyForm = 'a point such as tools/call?direction=request&name=delete_*'

/** Reads a hook's key; text says what was expected instead. */
export function parseHookKey(text: string): HookKey | string {
  const [point = '', ...query] = text.split('?')
  if (point === '' || /\s/.test(point)) return keyForm
  const members = Object.create(null) as Record<string, string>
  const pairs = query.length === 0 ? [] : query.join('?').split('&')
  for (const pair of pairs) {
    const [name = '', ...value] = pair.split('=')
    if (name === '' || value.length === 0) return keyForm
    if (Object.hasOwn(members, name)) return `${name} no more than once`
    members[name] = decode(value.join('='))
  }
  return { point, params: members }
}

/** What is wrong with a hook's key: what was expected instead. A slip would be a hook that never runs. */
export function checkHookKey(text: string): string | undefined {
  const key = parseHookKey(text)
  if (typeof key === 'string') return key
  const { point, params: given } = key
  const meant =
    points.includes(point) || point.includes('*') ? undefined : nearest(point, points, 1)
  if (meant) return `a method of MCP; did you mean ${meant}?`
  for (const name of Object.keys(given)) {
    if (!params.includes(name)) return wrongParam(name)
  }
  const { direction, callOnError } = given
  if (direction !== undefined && direction !== 'request' && direction !== 'response') {
    return 'direction=request or direction=response'
  }
  if (callOnError !== undefined && callOnError !== 'true' && callOnError !== 'false') {
    return 'callOnError=true or callOnError=false'
  }
  return undefined
}

function wrongParam(name: string): string {
  const meant = nearest(name, params)
  return `one of the parameters ${params.join(', ')}${meant ? `; did you mean ${meant}?` : ''}`
}

/** True for a point in the life of an agent or a session: nothing happens there yet. */
export function isLifePoint(point: string): boolean {
  return lifePoints.has(point) || /^[A-Z][A-Za-z]+$/.test(point)
}

const lifePoints = new Set(['session', 'config', 'request', 'response'])

/** Reads a hook's target. */
export function parseHookTarget(text: string): HookTarget {
  const [, reference = text] = /^!mutate:(.*)$/s.exec(text) ?? []
  return { reference, mutate: reference === text }
}

/** What is wrong with a hook's target: what was expected instead. `undefined` if it is right. */
export function checkHookTarget(text: string): string | undefined {
  const { reference } = parseHookTarget(text)
  const [server = '', ...tool] = reference.split('/')
  const right = server !== '' && server === server.trim() && tool.join('/').trim() !== ''
  return right && !/[!*]/.test(server) ? undefined : 'a target: server/tool or !mutate:server/tool'
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
