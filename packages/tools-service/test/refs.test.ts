import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRef } from '../src/index.ts'
import { compileView } from '../src/refs.ts'

describe('a reference', () => {
  test.each([
    ['github', { exclude: false, pattern: 'github', alias: undefined }],
    ['github/search', { exclude: false, pattern: 'github/search', alias: undefined }],
    ['github/search:find', { exclude: false, pattern: 'github/search', alias: 'find' }],
    ['!github/delete_*', { exclude: true, pattern: 'github/delete_*', alias: undefined }],
    ['*', { exclude: false, pattern: '*', alias: undefined }],
    ['files/file:///a:b/c', { exclude: false, pattern: 'files/file:///a:b/c', alias: undefined }],
    ['@scope/server', { exclude: false, pattern: '@scope/server', alias: undefined }],
    ['host:8080', { exclude: false, pattern: 'host:8080', alias: undefined }],
  ])('%s is read', (text, expected) => {
    expect(parseRef(text)).toEqual(expected)
  })

  test.each(['', '!', '/search', 'github/', 'github/*:x', '!github/search:find', '*/x:y'])(
    '%j is refused, saying what is wrong',
    (text) => {
      expect(() => parseRef(text)).toThrow(/^Invalid reference /)
    },
  )

  test('that is refused says what would be right', () => {
    expect(() => parseRef('/search')).toThrowErrorMatchingInlineSnapshot(
      `[TypeError: Invalid reference "/search": expected "server", "server/tool" or "server/tool:alias"]`,
    )
    expect(() => parseRef('github/*:find')).toThrowErrorMatchingInlineSnapshot(
      `[TypeError: Invalid reference "github/*:find": an alias renames one tool, so neither "*" nor "!" may stand with it]`,
    )
  })

  test('of any text is read or refused as what it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          const { exclude, pattern, alias } = parseRef(text)
          const tail = alias === undefined ? '' : `:${alias}`
          expect(`${exclude ? '!' : ''}${pattern}${tail}`).toBe(text)
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
        }
      }),
    )
  })
})

describe('a view', () => {
  const selects = (refs: string[], server: string, name: string) =>
    compileView({ refs }).select(server, name) !== undefined

  test.each<[string[], string, string, boolean]>([
    [['*'], 'github', 'search', true],
    [[], 'github', 'search', false],
    [['github'], 'github', 'search', true],
    [['github/*'], 'github', 'search', true],
    [['github/s*'], 'github', 'search', true],
    [['github/s*'], 'github', 'delete', false],
    [['git*'], 'github', 'search', true],
    [['git*/search'], 'gitlab', 'search', true],
    [['github/search'], 'github', 'search_all', false],
    [['*', '!github'], 'github', 'search', false],
    [['*', '!github'], 'gitlab', 'search', true],
    [['*', '!github/*'], 'github', 'search', false],
    [['!github/delete', '*'], 'github', 'delete', false],
    [['*', '!*/delete*'], 'github', 'delete_all', false],
    [['files/file:///home/*'], 'files', 'file:///home/a/b', true],
    [['files/file:///home/*'], 'files', 'file:///etc/passwd', false],
    [['files', '!files/file:///home/.*'], 'files', 'file:///home/.ssh', false],
    [['@scope/server'], '@scope/server', 'search', true],
    [['@scope/server/search'], '@scope/server', 'search', true],
    [['a/b'], 'a', 'b', true],
    [['github/a.b'], 'github', 'axb', false],
  ])('%j for %s/%s: %s', (refs, server, name, expected) => {
    expect(selects(refs, server, name)).toBe(expected)
  })

  test('knows which servers it can do without', () => {
    const { server } = compileView({ refs: ['github/search', 'git*', '!gitea'] })
    expect(['github', 'gitlab', 'gitea', 'other'].map((name) => server(name))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('takes the last of several aliases', () => {
    const { select } = compileView({ refs: ['a', 'a/b:first', 'a/b:second'] })
    expect(select('a', 'b')).toEqual({ alias: 'second' })
    expect(select('a', 'c')).toEqual({ alias: undefined })
  })

  test('is not slowed down by many stars', () => {
    const { select } = compileView({ refs: [`${'a*'.repeat(30)}b`] })
    expect(select('a'.repeat(5000), 'c')).toBeUndefined()
  })
})
