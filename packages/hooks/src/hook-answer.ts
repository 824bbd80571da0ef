import { type CallResult, isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { HookDecision } from './hook-chain.ts'

/** What a hook answers, as structured content. Absent (or null) members mean "unchanged". */
export interface HookAnswer {
  /** `block` always denies; `ask` wants a person's yes; `approve` skips an ask, never a deny. */
  readonly decision?: HookDecision
  readonly reason?: string
  /** The changed message: the members that it has replace those of the message. */
  readonly value?: JsonObject
  /** A change of the message. RFC 7396. */
  readonly patch?: JsonObject
  /** For the person, not for the model. */
  readonly systemMessage?: string
  /** Says that it changes the message even where nothing differs: what nanobot calls `mutated`. */
  readonly mutated?: boolean
}

const members = ['decision', 'reason', 'value', 'patch', 'systemMessage']
const nanobotMembers = ['accept', 'mutated', 'message', 'reason']
/** What a target says by saying nothing. */
export const noOpinion: HookAnswer = {}

/**
 * Reads what a hook's target answered: this package's own shape, or nanobot's `accept`, `mutated`,
 * `message` and `reason`. No structured content means no opinion.
 *
 * @throws TypeError saying what was expected and received, where it is neither.
 */
export function parseHookAnswer(result: CallResult): HookAnswer {
  if (result.isError === true) throw new TypeError(textOf(result) || 'it did not say why')
  const answer = structuredIn(result)
  if (answer === undefined) return noOpinion
  if (!isObject(answer)) throw new TypeError(`it answered ${shown(answer)}, not an object`)
  const isNanobots = 'accept' in answer || 'mutated' in answer || 'message' in answer
  return isNanobots ? parseNanobotAnswer(answer) : parseOwnAnswer(answer)
}

function parseOwnAnswer(answer: JsonObject): HookAnswer {
  refuseOthers(answer, members)
  const { decision, value, patch } = answer
  if (!isAbsent(decision) && decision !== 'approve' && decision !== 'ask' && decision !== 'block') {
    throw new TypeError(`"decision" must be approve, ask or block, received ${shown(decision)}`)
  }
  if (!(isAbsent(value) || isAbsent(patch))) {
    throw new TypeError('it answered both "value" and "patch", which can only be one change')
  }
  const reason = stringIn(answer, 'reason')
  const systemMessage = stringIn(answer, 'systemMessage')
  return {
    ...(isAbsent(decision) ? {} : { decision }),
    ...(reason === undefined ? {} : { reason }),
    ...(isAbsent(value) ? {} : { value: objectIn(answer, 'value') }),
    ...(isAbsent(patch) ? {} : { patch: objectIn(answer, 'patch') }),
    ...(systemMessage === undefined ? {} : { systemMessage }),
  }
}

/** An answer without `accept` is a no: each answer stands for itself. */
function parseNanobotAnswer(answer: JsonObject): HookAnswer {
  refuseOthers(answer, nanobotMembers)
  const { accept, mutated } = answer
  for (const [name, value] of Object.entries({ accept, mutated })) {
    if (isAbsent(value) || typeof value === 'boolean') continue
    throw new TypeError(`"${name}" must be true or false, received ${shown(value)}`)
  }
  const given = stringIn(answer, 'reason')
  const reason = given === undefined ? {} : { reason: given }
  if (accept !== true) return { decision: 'block', ...reason }
  if (mutated !== true) return reason
  return { ...reason, value: objectIn(answer, 'message'), mutated: true }
}

function refuseOthers(answer: JsonObject, expected: readonly string[]): void {
  const others = Object.keys(answer).filter((name) => !expected.includes(name))
  if (others.length === 0) return
  throw new TypeError(
    `it answered ${shown(others.join(', '))}; expected only ${expected.join(', ')}`,
  )
}

/** Older servers give structured results as text alone; a block must not get lost in it. */
function structuredIn({ structuredContent, content }: CallResult): unknown {
  if (!isAbsent(structuredContent)) return structuredContent
  const [only, ...others] = Array.isArray(content) ? content : []
  if (only?.type !== 'text' || others.length > 0 || typeof only.text !== 'string') return undefined
  if (!only.text.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(only.text)
  } catch {
    return undefined
  }
}

function textOf({ content }: CallResult): string {
  const texts = (Array.isArray(content) ? content : []).map(({ text }) => text)
  return shorten(texts.filter((text) => typeof text === 'string').join(' '))
}

function stringIn(answer: JsonObject, name: string): string | undefined {
  const value = answer[name]
  if (isAbsent(value) || value === '') return undefined
  if (typeof value === 'string') return shorten(value)
  throw new TypeError(`"${name}" must be a text, received ${shown(value)}`)
}

function objectIn(answer: JsonObject, name: string): JsonObject {
  const value = answer[name]
  if (isObject(value)) return value
  throw new TypeError(`"${name}" must be an object, received ${shown(value)}`)
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100)
}

const longest = 1000

/** Reasons end up in errors and traces: nobody has to read a book there. */
function shorten(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
