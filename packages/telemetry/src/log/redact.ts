import { redactValue } from '../redact-value.ts'

/** Members whose values come from outside and are nobody's business here. */
const payloads: ReadonlySet<string> = new Set([
  'args',
  'arguments',
  'params',
  'result',
  'content',
  'structuredContent',
])

/**
 * A copy of what is about to be logged, as plain JSON: without what goes by a secret's name or looks
 * like a secret, and without the arguments and results of calls. What redacts itself in its `toJSON`
 * is taken at its word. Never throws.
 */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(fields)
  return Object.fromEntries(names.map((name) => [name, redactMember(fields, name)]))
}

function redactMember(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  // One at a time: each has its own bound, and one that throws when it is read spoils no other.
  return redactValue({ get: () => fields[name], name, payloads })
}
