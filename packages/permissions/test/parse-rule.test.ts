import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileRuleMatcher, isRuleError, parseRule, toRule } from '../src/index.ts'
import { toolCall } from './support/calls.ts'

describe('a rule is read', () => {
  test.each([
    ['github', { target: ['github'] }],
    ['*', { target: ['', ''] }],
    ['github/delete_*', { target: ['github/delete_', ''] }],
    ['@scope/server/tool', { target: ['@scope/server/tool'] }],
    ['my server/tool', { target: ['my server/tool'] }],
    ['  github  ', { target: ['github'] }],
    ['a\\*b\\:c\\(d\\)/e\\,f\\\\', { target: ['a*b:c(d)/e,f\\'] }],
    ['a/b\\ ', { target: ['a/b '] }],
    ['a/b\\/', { target: ['a/b/'] }],
    ['github:resources/read', { target: ['github'], method: ['resources/read'] }],
    ['github:*', { target: ['github'], method: ['', ''] }],
    ['github:ping', { target: ['github'], method: ['ping'] }],
    [
      'github:resources/read(uri: file:///*)',
      {
        target: ['github'],
        method: ['resources/read'],
        matchers: [{ path: ['uri'], value: ['file:///', ''] }],
      },
    ],
    [
      'fs/write(path: /srv/*, mode: read)',
      {
        target: ['fs/write'],
        matchers: [
          { path: ['path'], value: ['/srv/', ''] },
          { path: ['mode'], value: ['read'] },
        ],
      },
    ],
    ['fs(path:/srv)', { target: ['fs'], matchers: [{ path: ['path'], value: ['/srv'] }] }],
    [
      'a/b( options . deep\\.er : ( x\\, y \\) )',
      {
        target: ['a/b'],
        matchers: [{ path: ['options', 'deep.er'], value: ['( x, y )'] }],
      },
    ],
  ])('%s', (text, rule) => {
    expect(parseRule(text)).toEqual({ text, method: undefined, matchers: [], ...rule })
  })
})

test('what is no rule says what was expected where', () => {
  const texts = [
    '',
    '   ',
    '/tool',
    'server/',
    '!server',
    'a/b, c/d',
    'server/tool)',
    'server/tool:alias',
    'server:',
    'server:resources/read:x',
    'server:x y/z',
    'server/tool(',
    'server/tool()',
    'server/tool(*)',
    'server/tool(path)',
    'server/tool(path /srv)',
    'server/tool(a..b: c)',
    'server/tool(a*: c)',
    'server/tool(path: )',
    'server/tool(path: x',
    'server/tool(path: x,)',
    'server/tool(path: x) y',
    'server\\',
  ]
  const errors = texts.map((text) => {
    try {
      return parseRule(text)
    } catch (error) {
      return isRuleError(error) ? error.message.split('. A rule is')[0] : error
    }
  })
  expect(errors.join('\n')).toMatchInlineSnapshot(`
    "Could not read the rule "" at character 1: expected a server, found its end
    Could not read the rule "   " at character 4: expected a server, found its end
    Could not read the rule "/tool" at character 1: expected a server, found "/"
    Could not read the rule "server/" at character 8: expected a tool after the "/", found its end
    Could not read the rule "!server" at character 1: expected a server (no rule is negated: put it into another list), found "!"
    Could not read the rule "a/b, c/d" at character 4: expected its end (each rule is an entry of its own), found ","
    Could not read the rule "server/tool)" at character 12: expected its end (each rule is an entry of its own), found ")"
    Could not read the rule "server/tool:alias" at character 13: expected a method such as resources/read (a colon that belongs to a name is written "\\:"), found "a"
    Could not read the rule "server:" at character 8: expected a method such as resources/read (a colon that belongs to a name is written "\\:"), found its end
    Could not read the rule "server:resources/read:x" at character 22: expected its end (each rule is an entry of its own), found ":"
    Could not read the rule "server:x y/z" at character 8: expected a method such as resources/read (a colon that belongs to a name is written "\\:"), found "x"
    Could not read the rule "server/tool(" at character 13: expected the name of an argument, found its end
    Could not read the rule "server/tool()" at character 13: expected the name of an argument, found ")"
    Could not read the rule "server/tool(*)" at character 13: expected the name of an argument (a rule for any arguments has no parentheses), found "*"
    Could not read the rule "server/tool(path)" at character 17: expected ":" after the name of the argument, found ")"
    Could not read the rule "server/tool(path /srv)" at character 22: expected ":" after the name of the argument, found ")"
    Could not read the rule "server/tool(a..b: c)" at character 15: expected the name of an argument, found "."
    Could not read the rule "server/tool(a*: c)" at character 14: expected ":" after the name of the argument, found "*"
    Could not read the rule "server/tool(path: )" at character 18: expected a value, found " "
    Could not read the rule "server/tool(path: x" at character 20: expected ")", found its end
    Could not read the rule "server/tool(path: x,)" at character 21: expected the name of an argument, found ")"
    Could not read the rule "server/tool(path: x) y" at character 22: expected its end (each rule is an entry of its own), found "y"
    Could not read the rule "server\\\\" at character 8: expected a character after \\, found its end"
  `)
  expect(() => parseRule('a:')).toThrowErrorMatchingInlineSnapshot(
    `[RuleError: Could not read the rule "a:" at character 3: expected a method such as resources/read (a colon that belongs to a name is written "\\:"), found its end. A rule is server, server/tool, server/tool(argument: value, …) or server:method(member: value, …), with * for any text and \\ before a character that is meant as it is.]`,
  )
})

test('no text throws anything but the documented error, within the text', () => {
  const characters = fc.constantFrom(...'ab/*:(),.\\! \n€'.split(''))
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: characters })), (text) => {
      try {
        parseRule(text)
      } catch (error) {
        expect(isRuleError(error)).toBe(true)
        if (!isRuleError(error)) return
        expect(error.position).toBeGreaterThanOrEqual(0)
        expect(error.position).toBeLessThanOrEqual(text.length)
        expect(error.text).toBe(text)
      }
    }),
    { numRuns: 2000 },
  )
})

test('a long text is cut in the message', () => {
  expect(() => parseRule(`/${'x'.repeat(10_000)}`)).toThrowError(/^.{1,600}$/)
})

test('the rule for one tool is about that tool and no other, whatever their names', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab*:(),.\\! €'.split('')), minLength: 1 })
  const server = text.map((name) => `s${name}`)
  fc.assert(
    fc.property(server, text, text, (name, tool, other) => {
      const matches = compileRuleMatcher(toRule({ server: name, tool }))
      expect(matches(toolCall(name, tool))).toBe(true)
      expect(matches(toolCall(name, other))).toBe(other === tool)
      expect(matches(toolCall(`${name}x`, tool))).toBe(false)
    }),
    { numRuns: 1000 },
  )
  expect(compileRuleMatcher(toRule({ server: 's', tool: ' t/ /' }))(toolCall('s', ' t/ /'))).toBe(
    true,
  )
})
