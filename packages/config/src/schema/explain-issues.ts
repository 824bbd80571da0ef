import type * as z from 'zod/mini'
import { nearest } from '../nearest.ts'
import type { Findings } from '../read/findings.ts'
import { locate, type SourceMap, type SourceNode, type SourceScalar } from '../read/source-tree.ts'
import { Secret } from '../secret.ts'
import { ourWord } from '../shapes/foreign-keys.ts'
import { kindKeys } from './server-schema.ts'

type Issue = z.core.$ZodIssue

/** Turns what the schema found in a tree into problems, each with its place. */
export function explainIssues(issues: readonly Issue[], root: SourceMap, findings: Findings): void {
  const context = { root, findings, meant: new Set<string>() }
  const flat = issues.flatMap((issue) => flatten(issue))
  for (const issue of flat) {
    if (issue.code === 'unrecognized_keys') explainUnknownKeys(issue, context)
  }
  for (const issue of flat) {
    if (issue.code !== 'unrecognized_keys') explainValue(issue, context)
  }
}

interface Context {
  readonly root: SourceMap
  readonly findings: Findings
  /** Keys that are there, with a slip in their name. */
  readonly meant: Set<string>
}

/** Of several forms, speaks of the only one whose outline the value has. */
function flatten(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const fitting = issue.errors.filter(
    (errors) => !errors.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  const [only, ...more] = fitting
  if (!only || more.length > 0) return [issue]
  return only.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

function explainUnknownKeys(
  issue: Issue & { code: 'unrecognized_keys' },
  { root, findings, meant }: Context,
): void {
  const parent = pathOf(issue)
  const known = issue.message.split(', ')
  for (const key of issue.keys) {
    const suggestion = suggestKey(key, known)
    if (suggestion) meant.add(JSON.stringify([...parent, suggestion]))
    const message = describeUnknownKey(key, known, suggestion)
    const { node } = locate(root, [...parent, key])
    findings.wrongKey(node, message, { code: 'UNKNOWN_KEY', suggestion })
  }
}

function suggestKey(key: string, known: readonly string[]): string | undefined {
  const word = ourWord(key)
  if (word !== undefined && known.includes(word)) return word
  return kindKeys.includes(key) ? undefined : nearest(key, known)
}

function describeUnknownKey(
  key: string,
  known: readonly string[],
  suggestion: string | undefined,
): string {
  if (suggestion) return `unknown key; did you mean ${suggestion}?`
  if (kindKeys.includes(key) && known.includes('sharing')) {
    const kind = known.includes('command') ? 'stdio' : 'http or sse'
    return `has no meaning for a server of type ${kind}`
  }
  return `unknown key; known here: ${known.filter((word) => word !== 'type').join(', ')}`
}

function explainValue(issue: Issue, { root, findings, meant }: Context): void {
  const path = pathOf(issue)
  const { node, rest } = locate(root, path)
  const expected = `expected ${issue.message}`
  if (rest.length > 0) {
    // It stands there with a slip in its name.
    if (!meant.has(JSON.stringify(path))) findings.missing(node, rest, `is missing; ${expected}`)
    return
  }
  if (issue.code === 'invalid_key') {
    findings.wrongKey(node, `expected ${issue.issues[0]?.message ?? issue.message}`)
    return
  }
  const suggestion = issue.code === 'invalid_value' ? suggestWord(node, issue.values) : undefined
  const hint = suggestion ? `; did you mean ${suggestion}?` : ''
  const message = `${expected}, received ${describe(node, path, issue)}${hint}`
  findings.wrongValue(node, message, { suggestion })
}

function suggestWord(node: SourceNode, words: readonly unknown[]): string | undefined {
  const word = node.kind === 'scalar' ? node.text : undefined
  return word === undefined ? undefined : nearest(word, words.map(String))
}

const secretKeys = [
  'env',
  'headers',
  'args',
  'url',
  'baseUrl',
  'command',
  'key',
  'clientSecret',
  'with',
]

/** What stands there; only its kind where it may be a secret. */
function describe(node: SourceNode, path: readonly string[], { code }: Issue): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`
  if (node.value === null) return 'nothing'
  if (node.value === '') return 'empty text'
  if (node.value instanceof Secret) return nameSecret(node)
  if (secretKeys.some((key) => path.includes(key))) {
    return code === 'custom' ? 'something else' : kindOf(node.value)
  }
  const shown = typeof node.value === 'string' ? JSON.stringify(node.value) : String(node.value)
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
}

function nameSecret({ references }: SourceScalar): string {
  const outside = references.some((reference) => /^(?:file|exec):/.test(reference))
  return outside ? 'the value of a reference' : 'the value of a variable'
}

function kindOf(value: string | number | boolean): string {
  return typeof value === 'string' ? 'text' : `a ${typeof value}`
}

function pathOf(issue: Issue): string[] {
  return issue.path.map(String)
}
