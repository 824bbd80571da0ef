import { describe, expect, test } from 'vitest'
import { isMessagePoint, parseHookKey, parseHookTarget } from '../src/index.ts'

describe('a hook key', () => {
  test.each([
    ['tools/call', { point: 'tools/call', params: {} }],
    ['*', { point: '*', params: {} }],
    ['tools/*?', { point: 'tools/*', params: {} }],
    ['notifications/tools/list_changed', { point: 'notifications/tools/list_changed', params: {} }],
    [
      'tools/call?server=github&direction=request',
      { point: 'tools/call', params: { server: 'github', direction: 'request' } },
    ],
    [
      '*?method=prompts/*&callOnError=true&direction=response',
      { point: '*', params: { method: 'prompts/*', callOnError: true, direction: 'response' } },
    ],
    [
      'resources/read?name=file:///a?b=c%26d',
      { point: 'resources/read', params: { name: 'file:///a?b=c&d' } },
    ],
    ['tools/call?name=a+b', { point: 'tools/call', params: { name: 'a+b' } }],
  ])('%s is read', (text, key) => {
    expect(parseHookKey(text)).toEqual(key)
  })

  test.each([
    '',
    '?server=a',
    'tools call',
    'tools/call?direction=both',
    'tools/call?callOnError=yes',
    'tools/call?tool=search',
    'tools/call?server',
    'tools/call?server=',
    'tools/call?=a',
    'tools/call?server=a&server=b',
    'tools/call?name=%E0%A4',
    'tools/call?__proto__=a',
  ])('%j says what is wrong', (text) => {
    expect(() => parseHookKey(text)).toThrowErrorMatchingSnapshot()
  })
})

describe('a hook target', () => {
  test.each([
    ['policy/check', { target: { server: 'policy', tool: 'check' }, mutate: true }],
    ['!mutate:policy/check', { target: { server: 'policy', tool: 'check' }, mutate: false }],
    ['policy/a/b', { target: { server: 'policy', tool: 'a/b' }, mutate: true }],
    ['reviewer', { target: { server: 'reviewer', tool: 'chat-with-reviewer' }, mutate: true }],
  ])('%s is read', (text, target) => {
    expect(parseHookTarget(text)).toEqual(target)
  })

  test('whose server has a slash in its name needs to be told of the servers', () => {
    const servers = ['@scope/policy', '@scope']
    expect(parseHookTarget('@scope/policy/check', servers)).toEqual({
      target: { server: '@scope/policy', tool: 'check' },
      mutate: true,
    })
    expect(parseHookTarget('!mutate:@scope/policy', servers).target).toEqual({
      server: '@scope/policy',
      tool: 'chat-with-@scope/policy',
    })
  })

  test.each(['', '!mutate:', '!policy/check', '/check', 'policy/', ' policy/check', 'policy/*'])(
    '%j says what is wrong',
    (text) => {
      expect(() => parseHookTarget(text)).toThrowErrorMatchingSnapshot()
    },
  )
})

test('points of messages are told from those of other families', () => {
  const points = ['tools/call', '*', 'initialize', 'notifications/*', 'session', 'PreToolUse', '']
  expect(points.map(isMessagePoint)).toEqual([true, true, true, true, false, false, false])
})
