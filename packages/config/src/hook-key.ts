import { type HookKey, isMessagePoint, parseHookKey, parseHookTarget } from '@mobius-mcp/hooks'
import { nearest } from './nearest.ts'

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

/** Points in the life of an agent or a session, beside those that begin with a capital letter. */
const lifePoints = ['config', 'request', 'response', 'session']

const params = ['callOnError', 'direction', 'method', 'name', 'server']

/** What is wrong with a hook's key: what was expected instead. A slip would be a hook that never runs. */
export function checkHookKey(text: string): string | undefined {
  const wrong = reasonOf(() => parseHookKey(text))
  if (wrong !== undefined) return wrong + suggestParam(text)
  const { point } = parseHookKey(text)
  if (point.includes('*') || points.includes(point)) return undefined
  if (!isMessagePoint(point)) return checkLifePoint(point)
  const meant = nearest(point, points, 2)
  return meant && `a method of MCP; did you mean ${meant}?`
}

/** What is wrong with a hook's target: what was expected instead. `undefined` if it is right. */
export function checkHookTarget(text: string): string | undefined {
  return reasonOf(() => parseHookTarget(text))
}

/** A hook's key, taken apart; `undefined` where it is wrong, which is told elsewhere. */
export function readHookKey(text: string): HookKey | undefined {
  return checkHookKey(text) === undefined ? parseHookKey(text) : undefined
}

/** `server/tool` of a target, whatever stands before it. */
export function targetReference(text: string): string {
  return text.replace(/^!mutate:/, '')
}

/** A point that is neither a method nor known from a life is a method without its slash. */
function checkLifePoint(point: string): string | undefined {
  if (lifePoints.includes(point) || /^[A-Z]/.test(point)) return undefined
  const meant = nearest(point, [...lifePoints, ...points])
  const hint = meant ? `; did you mean ${meant}?` : ''
  return `a method such as tools/call, or a point such as session${hint}`
}

function suggestParam(text: string): string {
  for (const pair of text.split('?').slice(1).join('?').split('&')) {
    const [name = ''] = pair.split('=', 1)
    const meant = params.includes(name) ? undefined : nearest(name, params)
    if (meant) return `; did you mean ${meant}?`
  }
  return ''
}

/** Why a text is refused, without the text, to stand behind "expected". */
function reasonOf(parse: () => unknown): string | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [, kind = 'text', reason = error.message] =
      /^Invalid (hook key|hook target) (?:"(?:[^"\\]|\\.)*"): (.*)$/s.exec(error.message) ?? []
    return reason.startsWith('expected ') ? reason.slice(9) : `a ${kind}: ${reason}`
  }
}
