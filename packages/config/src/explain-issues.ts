import type { z } from 'zod'
import type { Findings } from './findings.ts'
import { ourWord } from './foreign-keys.ts'
import { nearest } from './nearest.ts'
import { serverKeys } from './schema.ts'
import type { SourceNode } from './source-tree.ts'

type Issue = z.core.$ZodIssue

/** Turns what the schema found into problems, each with its place. */
export function explainIssues(issues: readonly Issue[], findings: Findings): void {
  const flat = issues.flatMap((issue) => flatten(issue))
  const meant = new Set<string>()
  for (const issue of flat) {
    if (issue.code === 'unrecognized_keys') explainUnknownKeys(issue, findings, meant)
  }
  for (const issue of flat) {
    if (issue.code !== 'unrecognized_keys') explainValue(issue, findings, meant)
  }
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
  findings: Findings,
  meant: Set<string>,
): void {
  const parent = pathOf(issue)
  const known = issue.message.split(', ')
  for (const key of issue.keys) {
    const suggestion = suggestKey(key, known)
    if (suggestion) meant.add(JSON.stringify([...parent, suggestion]))
    const message = describeUnknownKey(key, known, suggestion)
    findings.wrongKey([...parent, key], message, { code: 'UNKNOWN_KEY', suggestion })
  }
}

function suggestKey(key: string, known: readonly string[]): string | undefined {
  const word = ourWord(key)
  if (word !== undefined && known.includes(word)) return word
  return serverKeys.includes(key) ? undefined : nearest(key, known)
}

function describeUnknownKey(
  key: string,
  known: readonly string[],
  suggestion: string | undefined,
): string {
  if (suggestion) return `unknown key; did you mean ${suggestion}?`
  if (serverKeys.includes(key) && known.includes('sharing')) {
    const kind = known.includes('command') ? 'stdio' : 'http or sse'
    return `has no meaning for a server of type ${kind}`
  }
  return `unknown key; known here: ${known.filter((word) => word !== 'type').join(', ')}`
}

function explainValue(issue: Issue, findings: Findings, meant: ReadonlySet<string>): void {
  const path = pathOf(issue)
  const { node, found } = findings.locate(path)
  const expected = `expected ${issue.message}`
  if (!found) {
    // It stands there with a slip in its name.
    if (meant.has(JSON.stringify(path))) return
    findings.wrongValue(path, `is missing; ${expected}`, { code: 'MISSING_KEY' })
    return
  }
  if (issue.code === 'custom' && issue.params?.wrongKey === true) {
    findings.wrongKey(path, expected)
    return
  }
  const suggestion = issue.code === 'invalid_value' ? suggestWord(node, issue.values) : undefined
  const hint = suggestion ? `; did you mean ${suggestion}?` : ''
  const message = `${expected}, received ${describe(node, path, issue)}${hint}`
  findings.wrongValue(path, message, { suggestion })
}

function suggestWord(node: SourceNode, words: readonly unknown[]): string | undefined {
  const word = node.kind === 'scalar' ? node.text : undefined
  return word === undefined ? undefined : nearest(word, words.map(String))
}

const secretKeys = ['env', 'headers', 'args', 'url', 'command', 'key']

/** What stands there; only its kind where it may be a secret. */
function describe(node: SourceNode, path: readonly string[], { code }: Issue): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`
  if (node.value === null) return 'nothing'
  if (node.value === '') return 'empty text'
  if (node.expanded) return 'the value of a variable'
  if (secretKeys.some((key) => path.includes(key))) {
    return code === 'custom' ? 'something else' : kindOf(node.value)
  }
  const shown = typeof node.value === 'string' ? JSON.stringify(node.value) : String(node.value)
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
}

function kindOf(value: string | number | boolean): string {
  return typeof value === 'string' ? 'text' : `a ${typeof value}`
}

function pathOf(issue: Issue): string[] {
  return issue.path.map(String)
}
