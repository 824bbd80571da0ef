import { type ErrorObject, isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { HookAnswer } from './hook-answer.ts'
import type { HookMessage } from './hook-chain.ts'
import type { HookDirection } from './hook-definition.ts'
import { applyPatch, diffPatch } from './merge-patch.ts'

/** A change that somebody wanted, carried out. */
export interface Changed {
  readonly message: HookMessage
  /** What differs from before. */
  readonly patch: JsonObject
}

/** A change that nobody may make: a refusal, whatever is said about failures. */
export class ForbiddenChange extends Error {
  override readonly name = 'ForbiddenChange'
}

/**
 * The message as an answer changes it; `undefined` where it does not.
 *
 * @throws ForbiddenChange where it would be another request: identity stays.
 * @throws TypeError where what it would be is no message.
 */
export function changeMessage(
  before: HookMessage,
  { value, patch }: HookAnswer,
  direction: HookDirection,
): Changed | undefined {
  const change = value ?? patch
  if (!change) return undefined
  const merged = value ? mergeValue(before, value) : applyPatch({ ...before }, change)
  const message = parseMessage(settleOutcome(merged, change), direction)
  const difference = diffPatch({ ...before }, { ...message })
  if (!difference) return undefined
  checkIdentity(before, message, direction)
  return { message, patch: difference }
}

/** The members that are given replace the message's; the envelope around it is nobody's to change. */
function mergeValue(before: HookMessage, value: JsonObject): JsonObject {
  const { jsonrpc: _, id: _id, ...members } = value
  // JSON written in other languages says null where nothing is meant.
  const given = Object.entries(members).filter(([, member]) => member !== null)
  return { ...before, ...Object.fromEntries(given) }
}

/** Who gives an answer of one kind means it to stand in place of the other. */
function settleOutcome(merged: JsonObject, change: JsonObject): JsonObject {
  if (!('result' in merged && 'error' in merged)) return merged
  const { result, error, ...rest } = merged
  const isGiven = (name: string) => change[name] !== undefined && change[name] !== null
  if (isGiven('result') === isGiven('error'))
    throw new TypeError('it made both a result and an error')
  return isGiven('result') ? { ...rest, result } : { ...rest, error }
}

function parseMessage(value: JsonObject, direction: HookDirection): HookMessage {
  const { method, params, result, error, ...others } = value
  const strange = Object.keys(others)
  if (strange.length > 0) {
    throw new TypeError(
      `it made a message with ${strange.join(', ')}; expected only method, params, result or error`,
    )
  }
  if (typeof method !== 'string') throw new TypeError('it made a message without a method')
  if (params !== undefined && !isObject(params))
    throw new TypeError('it made params that are no object')
  const answered = result !== undefined || error !== undefined
  if (answered !== (direction === 'response')) {
    throw new TypeError(
      answered ? 'it answered a request itself' : 'it made an answer without a result',
    )
  }
  const request = params === undefined ? { method } : { method, params }
  if (error !== undefined) return { ...request, error: parseError(error) }
  if (result === undefined) return request
  if (!isObject(result)) throw new TypeError('it made a result that is no object')
  return { ...request, result }
}

function parseError(error: unknown): ErrorObject {
  const right =
    isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string'
  if (right) return error as unknown as ErrorObject
  throw new TypeError('it made an error without a code and a message')
}

/** Rules and routes have gone by these already: the message and they must not part. */
function checkIdentity(before: HookMessage, after: HookMessage, direction: HookDirection): void {
  if (before.method !== after.method) {
    throw new ForbiddenChange(
      `it tried to change the method from ${before.method} to ${after.method}`,
    )
  }
  const { params: from = {} } = before
  const { params: to = {} } = after
  const difference = diffPatch(from, to)
  if (!difference) return
  if (direction === 'response') {
    throw new ForbiddenChange(
      'it tried to change the params of a request that was answered already',
    )
  }
  for (const name of ['name', 'uri', 'ref']) {
    if (!Object.hasOwn(difference, name)) continue
    throw new ForbiddenChange(
      `it tried to change params.${name}, from ${shown(from[name])} to ${shown(to[name])}`,
    )
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100)
}
