import type { HookTrace } from '@mobius-mcp/hooks'
import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { Call } from './call.ts'

/** Where a result says what hooks did to it and to its request. */
const effectsKey = 'mobius-mcp.dev/hooks'
const nanobotKey = 'ai.nanobot.hooks/mutations'

/** The result with what hooks did, in so far as it had an effect. What they changed it to is for the audit. */
export function showEffects(
  { method, configuration }: Pick<Call, 'method' | 'configuration'>,
  result: JsonObject,
  trace: readonly HookTrace[],
): JsonObject {
  if (!trace.some(hasEffect)) return result
  const effects = trace.filter(hasEffect)
  const options = configuration.hookTrace
  const meta = isObject(result._meta) ? result._meta : undefined
  const shown: JsonObject = { ...meta, [effectsKey]: effects.map(toShown) }
  // What was said meanwhile is neither the request nor its result.
  const own = effects.filter((each) => each.method === method)
  if (options.nanobot) {
    const mutations = mutationsIn(own)
    if (mutations) shown[nanobotKey] = mutations
  }
  const dressed: JsonObject = { ...result, _meta: shown }
  if (options.text && Array.isArray(result.content)) {
    dressed.content = [...textOf(own, 'request'), ...result.content, ...textOf(own, 'response')]
  }
  return dressed
}

function hasEffect(trace: HookTrace): boolean {
  const { decision, reason, systemMessage, change, failure } = trace
  return (decision ?? reason ?? systemMessage ?? change ?? failure) !== undefined
}

/** Without the patch: what a hook put into a request may be none of the client's business. */
function toShown({ target, change, ...trace }: HookTrace): JsonObject {
  const shown: JsonObject = { ...trace, target: `${target.server}/${target.tool}` }
  if (change) shown.change = { hash: change.hash }
  return shown
}

function changesIn(effects: readonly HookTrace[], direction: HookTrace['direction']): HookTrace[] {
  return effects.filter((each) => each.direction === direction && each.change)
}

function reasonsOf(changes: readonly HookTrace[]): string[] {
  return changes.flatMap(({ reason }) => (reason === undefined ? [] : [reason]))
}

function mutationsIn(effects: readonly HookTrace[]): JsonObject | undefined {
  const mutations: JsonObject = {}
  for (const direction of ['request', 'response'] as const) {
    const changes = changesIn(effects, direction)
    if (changes.length > 0) mutations[direction] = { mutated: true, reasons: reasonsOf(changes) }
  }
  return Object.keys(mutations).length > 0 ? mutations : undefined
}

function textOf(effects: readonly HookTrace[], direction: HookTrace['direction']): JsonObject[] {
  const changes = changesIn(effects, direction)
  if (changes.length === 0) return []
  const hooks = changes.map(({ hook, reason }) =>
    reason === undefined ? hook : `${hook} (${reason})`,
  )
  const what = direction === 'request' ? 'The request' : 'The result'
  return [{ type: 'text', text: `${what} was changed by hooks: ${hooks.join('; ')}` }]
}
