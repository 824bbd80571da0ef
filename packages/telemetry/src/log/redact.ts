import { isSecretName, redactText } from '../redact-text.ts'

const redacted = '[redacted]'
const maxDepth = 6
const maxMembers = 100

/** Members whose values come from outside and are nobody's business here. */
const payloads: ReadonlySet<string> = new Set([
  'args',
  'arguments',
  'params',
  'result',
  'content',
  'structuredContent',
])

/** Members that hold secrets under names of their own. */
const holders: ReadonlySet<string> = new Set(['env', 'environment', 'header', 'headers'])

/**
 * A copy of what is about to be logged, as plain JSON: without what goes by a secret's name or looks
 * like a secret, and without the arguments and results of calls. What redacts itself in its `toJSON`
 * is taken at its word.
 */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return members(fields, 0)
}

function members(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).slice(0, maxMembers)
  return Object.fromEntries(entries.map(([name, member]) => [name, memberOf(name, member, depth)]))
}

function memberOf(name: string, value: unknown, depth: number): unknown {
  if (value === undefined || value === null) return value
  if (payloads.has(name)) return '[not logged]'
  if (holders.has(name)) return hidden(value)
  // A count of tokens is no token.
  const counts = typeof value === 'number' || typeof value === 'boolean'
  return isSecretName(name) && !counts ? redacted : plain(value, depth + 1)
}

/** Names of variables and headers may be read; their values may not. */
function hidden(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return redacted
  return Object.fromEntries(
    Object.keys(value)
      .slice(0, maxMembers)
      .map((name) => [name, redacted]),
  )
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  if (typeof value !== 'object') return value === undefined ? undefined : String(value)
  if (depth > maxDepth) return '[…]'
  try {
    return plainObject(value, depth)
  } catch {
    return '[unreadable]'
  }
}

function plainObject(value: object, depth: number): unknown {
  if (value instanceof Error) return plainError(value, depth)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return plain(value.toJSON(), depth + 1)
  }
  if (Array.isArray(value)) return value.slice(0, maxMembers).map((item) => plain(item, depth + 1))
  return members(value, depth)
}

function plainError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error
  return {
    name,
    message: redactText(message),
    ...('code' in error ? { code: plain(error.code, depth + 1) } : {}),
    ...(stack === undefined ? {} : { stack: redactText(stack) }),
    ...(cause === undefined ? {} : { cause: plain(cause, depth + 1) }),
  }
}
