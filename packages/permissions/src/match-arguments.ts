import { isObject } from '@mobius-mcp/protocol'
import { compilePattern, isAnything, type Pattern } from './pattern.ts'
import { plainPath } from './plain-path.ts'
import type { ArgumentMatcher } from './rule.ts'

/**
 * Where there is more than one value to match (in a list, or a path as it is and as it resolves),
 * how many must: all, to let a call through, and any, to stop it.
 */
export type Strictness = 'all' | 'any'

// Deeper lists in lists are nobody's arguments, but could exhaust the stack.
const maxDepth = 64

/** Compiles conditions on members of a JSON object. A member that is absent never matches. */
export function compileMatchers(
  matchers: readonly ArgumentMatcher[],
  strictness: Strictness,
): (value: unknown) => boolean {
  const tests = matchers.map((matcher) => compileMatcher(matcher, strictness))
  const [only, ...more] = tests
  if (only && more.length === 0) return (value) => only(value, 0, 0)
  return (value) => tests.every((test) => test(value, 0, 0))
}

type Test = (value: unknown, index: number, depth: number) => boolean

function compileMatcher({ path, value: pattern }: ArgumentMatcher, strictness: Strictness): Test {
  const matches = compileValue(pattern, strictness)
  const anything = isAnything(pattern)
  const test: Test = (value, index, depth) => {
    const key = path[index]
    if (key === undefined && anything) return value !== undefined
    if (Array.isArray(value)) return overList(value, index, depth + 1)
    if (key === undefined) return matches(value)
    return isObject(value) && Object.hasOwn(value, key) && test(value[key], index + 1, depth)
  }
  const overList = (list: readonly unknown[], index: number, depth: number): boolean => {
    // What cannot be judged is not let through.
    if (depth > maxDepth) return strictness === 'any'
    if (strictness === 'any') return list.some((item) => test(item, index, depth))
    return list.length > 0 && list.every((item) => test(item, index, depth))
  }
  return test
}

/** A single value; numbers, `true`, `false` and `null` match as JSON writes them. */
function compileValue(pattern: Pattern, strictness: Strictness): (value: unknown) => boolean {
  const matches = compilePattern(pattern)
  return (value) => {
    if (typeof value !== 'string') return !isObject(value) && matches(String(value))
    const plain = plainPath(value)
    if (plain === value) return matches(value)
    return strictness === 'all'
      ? matches(value) && matches(plain)
      : matches(value) || matches(plain)
  }
}
