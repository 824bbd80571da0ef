import type { JsonObject } from '@mobius-mcp/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatch, diffPatch } from '../src/merge-patch.ts'

/** The examples of RFC 7396, appendix A, that stay objects. */
test.each<[JsonObject, JsonObject, JsonObject]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched with %j is %j', (value, patch, patched) => {
  expect(applyPatch(value, patch)).toEqual(patched)
})

test('a member called __proto__ is a member like any other', () => {
  const patched = applyPatch({}, JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject)
  expect(Object.getPrototypeOf(patched)).toBe(Object.prototype)
  expect(Object.hasOwn(patched, '__proto__')).toBe(true)
})

const json = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.jsonValue({ maxDepth: 3 }).map((value) => withoutNull(value)),
)

/** RFC 7396 cannot express null as a value. */
function withoutNull(value: unknown): unknown {
  if (value === null) return 0
  if (Array.isArray(value)) return value.map(withoutNull)
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutNull(each)]))
}

test('the difference between two values, applied to one, gives the other', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const patch = diffPatch(before, after)
      expect(applyPatch(before, patch ?? {})).toEqual(after)
    }),
  )
})

test('there is no difference between a value and a copy of it', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(diffPatch(value, structuredClone(value))).toBeUndefined()
    }),
  )
})
