import type { Target } from '@mobius-mcp/protocol'
import { type Pattern, textOf } from './pattern.ts'
import type { ArgumentMatcher, Rule } from './rule.ts'
import { RuleReader } from './rule-reader.ts'

/**
 * Reads a rule: `server`, `server/tool`, `server/tool(path: /srv/*, mode: read)` or
 * `server:resources/read(uri: file:///*)`.
 *
 * @throws RuleError saying what was expected where.
 */
export function parseRule(text: string): Rule {
  const reader = new RuleReader(text)
  const target = readTarget(reader)
  const method = reader.take(':') ? readMethod(reader) : undefined
  const matchers = reader.take('(') ? readMatchers(reader) : []
  reader.skipSpace()
  if (reader.next !== '') throw reader.error('its end (each rule is an entry of its own)')
  return { text, target, method, matchers }
}

/** The rule that stands for one tool of one server, whatever characters their names hold. */
export function toRule({ server, tool }: Target): string {
  return escapeText(`${server}/${tool}`)
}

function readTarget(reader: RuleReader): Pattern {
  reader.skipSpace()
  const start = reader.position
  if (reader.next === '!') {
    throw reader.error('a server (no rule is negated: put it into another list)')
  }
  const target = reader.pattern(':(),')
  const text = textOf(target)
  if (text === '' || text.startsWith('/')) throw reader.error('a server', start)
  if (text.endsWith('/') && !reader.escapedLast) throw reader.error('a tool after the "/"')
  return target
}

const plainMethods = ['ping', 'initialize']

function readMethod(reader: RuleReader): Pattern {
  reader.skipSpace()
  const start = reader.position
  const method = reader.pattern(':(),')
  const text = textOf(method)
  const known = text.includes('/') || text.includes('*') || plainMethods.includes(text)
  if (known && /^[\w$*][\w$*/.-]*$/.test(text)) return method
  throw reader.error(
    'a method such as resources/read (a colon that belongs to a name is written "\\:")',
    start,
  )
}

function readMatchers(reader: RuleReader): ArgumentMatcher[] {
  const matchers: ArgumentMatcher[] = []
  do {
    const path = reader.path()
    if (!reader.take(':')) throw reader.error('":" after the name of the argument')
    const start = reader.position
    const value = reader.pattern(',)')
    if (textOf(value) === '') throw reader.error('a value', start)
    matchers.push({ path, value })
  } while (reader.take(','))
  if (!reader.take(')')) throw reader.error('")"')
  return matchers
}

function escapeText(text: string): string {
  return text.replace(/[\\*:(),]|^!|^\s+|[\s/]+$/g, (found) => found.replace(/[\s\S]/g, '\\$&'))
}
