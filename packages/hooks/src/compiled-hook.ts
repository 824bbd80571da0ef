import type { JsonObject, Origin, Target } from '@mobius-mcp/protocol'
import { compileGlob } from './glob.ts'
import type { HookMatch, MatchIf } from './hook-chain.ts'
import type { HookDefinition, HookDirection } from './hook-definition.ts'

/** A hook, ready for use. */
export interface CompiledHook {
  readonly id: string
  readonly target: Target
  readonly mutate: boolean
  readonly with: JsonObject | undefined
  readonly priority: number
  readonly timeout: number
  readonly failsOpen: boolean
  readonly redact: boolean
  /** The same for hooks that would do the same. */
  readonly handler: string
  /** Whether it is for messages of this kind at all. */
  covers(server: string, method: string, direction: HookDirection): boolean
  /** Whether it is for this one. May throw what a condition throws. */
  matches(match: HookMatch): boolean
}

/** The target's `server/tool`, as a person reads it. */
export function targetText({ server, tool }: Target): string {
  return `${server}/${tool}`
}

/** True where a hook is at work in what led to a message. */
export function isIn(hook: string, origin: Origin): boolean {
  for (let each: Origin | undefined = origin; each; each = each.cause) {
    if (each.kind === 'hook' && each.name === hook) return true
  }
  return false
}

/** What a target is told of the message: nothing of it can come from configuration. */
const inputMembers = ['point', 'direction', 'server', 'name', 'message', 'call']

const handshake = ['initialize', 'notifications/initialized']

const defaultTimeout = 30_000

/** @throws TypeError saying what is wrong with the definition. */
export function compileHook(
  definition: HookDefinition,
  matchIf: MatchIf | undefined,
): CompiledHook {
  check(definition)
  const { id, target, params = {}, mutate = true, priority = 0 } = definition
  const { timeout = defaultTimeout, onError = 'deny', redact = false } = definition
  const isPoint = compileGlob(definition.point)
  const isMethod = compileGlob(params.method ?? '*')
  const isServer = compileGlob(params.server ?? '*')
  return {
    id,
    target,
    mutate,
    with: definition.with,
    priority,
    timeout,
    failsOpen: onError === 'allow',
    redact,
    handler: JSON.stringify([
      target.server,
      target.tool,
      mutate,
      onError,
      timeout,
      definition.with,
    ]),
    covers: (server, method, direction) =>
      (params.direction ?? direction) === direction &&
      isPoint(method) &&
      isMethod(method) &&
      isServer(server) &&
      // It would wait for itself: nobody can be asked before having shaken hands.
      !(server === target.server && handshake.includes(method)),
    matches: compileConditions(definition, matchIf),
  }
}

function compileConditions(
  { id, params = {}, if: condition }: HookDefinition,
  matchIf: MatchIf | undefined,
): (match: HookMatch) => boolean {
  const { name, callOnError } = params
  const conditions: ((match: HookMatch) => boolean)[] = []
  if (name !== undefined) {
    const isName = compileGlob(name)
    conditions.push((match) => isName(match.name))
  }
  if (callOnError !== undefined) {
    conditions.push(({ message }) => (message.error !== undefined) === callOnError)
  }
  if (condition !== undefined) {
    if (!matchIf) throw wrong(id, 'it has an "if", and nothing here can read one')
    conditions.push(matchIf(condition))
  }
  const [only] = conditions
  if (!only) return always
  return conditions.length === 1 ? only : (match) => conditions.every((holds) => holds(match))
}

function always(): boolean {
  return true
}

function check({ id, point, target, timeout, with: fixed, onError }: HookDefinition): void {
  if (id === '') throw wrong(id, 'it needs an id')
  if (point === '') throw wrong(id, 'it needs a point: a method, or "*"')
  if (target.server === '' || target.tool === '') throw wrong(id, 'its target is not server/tool')
  if (timeout !== undefined && !(timeout > 0)) {
    throw wrong(id, `its timeout must be more than 0 milliseconds, received ${timeout}`)
  }
  if (onError !== undefined && onError !== 'deny' && onError !== 'allow') {
    throw wrong(id, `onError must be deny or allow, received ${JSON.stringify(onError)}`)
  }
  const taken = inputMembers.filter((member) => fixed && Object.hasOwn(fixed, member))
  if (taken.length > 0) {
    throw wrong(id, `"with" cannot set ${taken.join(', ')}, which every hook is told anyway`)
  }
}

export function wrong(id: string, reason: string): TypeError {
  return new TypeError(`Invalid hook ${JSON.stringify(id)}: ${reason}`)
}
