import { compileMatchers, type Strictness } from './match-arguments.ts'
import { isUse } from './methods.ts'
import { compilePattern, type Pattern, textOf } from './pattern.ts'
import type { Rule, RuleSubject } from './rule.ts'

/** Whether a call of one certain server is what the rule speaks of. */
export type SubjectTest = (call: RuleSubject) => boolean

/** Compiles what a rule says about one server: `undefined` if that is nothing. */
export function compileRule(
  rule: Rule,
  server: string,
  strictness: Strictness,
): SubjectTest | undefined {
  const { target, method, matchers } = rule
  const covers = coversServer(target, server)
  if (method) return covers ? compileMethod(method, rule, strictness) : undefined
  const tool = covers ? () => true : compileTool(target, server)
  if (!tool) return undefined
  if (matchers.length > 0) {
    const matches = compileMatchers(matchers, strictness)
    return (call) =>
      call.method === 'tools/call' && tool(call.name) && matches(call.params.arguments)
  }
  if (covers) return (call) => isUse(call.method)
  return (call) => call.method === 'tools/call' && tool(call.name)
}

/** True where a rule says something about a server. A name for which it never does is probably misspelt. */
export function concernsServer({ target, method }: Rule, server: string): boolean {
  return coversServer(target, server) || (!method && compileTool(target, server) !== undefined)
}

/** A `*` before the first slash leaves no doubt that a tool follows: the target is no server's name. */
function coversServer(target: Pattern, server: string): boolean {
  const [first = ''] = target
  const ofTools = target.length > 1 && !first.includes('/') && textOf(target).includes('/')
  return !ofTools && compilePattern(target)(server)
}

/**
 * The part of the target that is about tools of the server, as a predicate. No `*` reaches from a
 * server's name into a tool's: a tool called `x-safe` is not of a server that matches `*-safe`.
 */
function compileTool(target: Pattern, server: string): ((tool: string) => boolean) | undefined {
  const tests = splits(target)
    .filter(({ head }) => compilePattern(head)(server))
    .map(({ tail }) => compilePattern(tail))
  const [only, ...more] = tests
  return more.length === 0 ? only : (tool) => tests.some((test) => test(tool))
}

/** All the ways to read the target as a server and a tool: both names may hold slashes. */
function splits(target: Pattern): { head: Pattern; tail: Pattern }[] {
  return target.flatMap((piece, index) =>
    [...piece.matchAll(/\//g)].map(({ index: slash }) => ({
      head: [...target.slice(0, index), piece.slice(0, slash)],
      tail: [piece.slice(slash + 1), ...target.slice(index + 1)],
    })),
  )
}

function compileMethod(method: Pattern, { matchers }: Rule, strictness: Strictness): SubjectTest {
  const isMethod = compilePattern(method)
  const matches = compileMatchers(matchers, strictness)
  return (call) => isMethod(call.method) && matches(call.params)
}
