import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileGlob } from '../src/glob.ts'

const word = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '*'), maxLength: 8 })

test('a star stands for any text, and everything else for itself', () => {
  fc.assert(
    fc.property(word, word, (pattern, text) => {
      const escaped = pattern.replace(/[./]/g, '\\$&').replaceAll('*', '[^]*')
      expect(compileGlob(pattern)(text)).toBe(new RegExp(`^${escaped}$`).test(text))
    }),
    { numRuns: 5000 },
  )
})

test.each(['[a]*', '{a,b}*', '?*', '(a|b)*', '!a*', '\\a*'])(
  '%s is no more than it says',
  (text) => {
    const matches = compileGlob(text)
    expect(matches(text.replace('*', 'x'))).toBe(true)
    expect(matches('a')).toBe(false)
  },
)
