import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainName, publicName } from '../src/public-name.ts'

/** Names as people, other gateways and machines give them. */
const name = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '-', '.', '/'), minLength: 1, maxLength: 12 }),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/),
  fc.constantFrom('__proto__', 'constructor', '_', '__', 'a__b', '@scope/server', 'größe'),
)

const pair = fc.tuple(name, name)

describe('the name outside', () => {
  test('has at most 48 characters, which every client and model accepts', () => {
    fc.assert(
      fc.property(pair, ([server, tool]) => {
        expect(publicName(server, tool)).toMatch(/^[A-Za-z0-9_-]{1,48}$/)
        expect(plainName(tool)).toMatch(/^[A-Za-z0-9_-]{1,48}$/)
      }),
    )
  })

  test('depends on the two names alone', () => {
    fc.assert(
      fc.property(pair, pair, (first, second) => {
        const before = publicName(...first)
        publicName(...second)
        expect(publicName(...first)).toBe(before)
      }),
    )
  })

  test('is different for different pairs', () => {
    fc.assert(
      fc.property(pair, pair, (first, second) => {
        fc.pre(first.join('\0') !== second.join('\0'))
        expect(publicName(...first)).not.toBe(publicName(...second))
      }),
      { numRuns: 2000 },
    )
  })

  test('is different where two pairs join to the same text', () => {
    const word = fc.string({ unit: fc.constantFrom('a', '_'), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.tuple(word, word), fc.tuple(word, word), (first, second) => {
        fc.pre(first.join('\0') !== second.join('\0'))
        expect(publicName(...first)).not.toBe(publicName(...second))
      }),
      { numRuns: 5000 },
    )
  })

  test('is the two names joined wherever nothing is lost', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9-]{1,23}$/)
    fc.assert(
      fc.property(part, part, (server, tool) => {
        expect(publicName(server, tool)).toBe(`${server}__${tool}`)
      }),
    )
  })

  test('is a tool’s own name wherever nothing is lost', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,48}$/), (tool) => {
        expect(plainName(tool)).toBe(tool)
      }),
    )
  })

  test('differs at its end for long names that differ only there', () => {
    const long = 'a'.repeat(60)
    const names = [1, 2, 3].map((index) => publicName('server', `${long}-variant-${index}`))
    expect(new Set(names).size).toBe(3)
    expect(names[0]).toMatch(/-variant-1_[a-z0-9]{8}$/)
  })

  // Published: clients keep these names in their settings.
  test.each([
    ['github', 'search_issues', 'github__search_issues'],
    ['github', '_private', 'github___private'],
    ['end', 'one__fine', 'end__one__fine'],
    ['a__b', 'c', 'a__b__c_n689po55'],
    ['a_', 'b', 'a___b_aebgkx8r'],
    ['@scope/server', 'read.file', '_scope_server__read_file_ua7c81rp'],
    ['größe', '测试', 'gr__e_____txn2g806'],
    ['server', 'x'.repeat(60), `server__${'x'.repeat(31)}_yjkokwc6`],
  ])('of %s and %s stays what it is', (server, tool, expected) => {
    expect(publicName(server, tool)).toBe(expected)
  })
})

test('names that differ in one character do not meet by chance', () => {
  const count = 200_000
  const seen = new Set<string>()
  for (let index = 0; index < count; index++) {
    const tool = `${'long-prefix-'.repeat(5)}${index.toString(36)}-${'suffix-'.repeat(4)}`
    seen.add(publicName('server', tool))
  }
  expect(seen.size).toBe(count)
})
