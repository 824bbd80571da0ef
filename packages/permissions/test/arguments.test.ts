import { describe, expect, test } from 'vitest'
import { compileRuleMatcher, compileRules } from '../src/index.ts'
import { agent, callOf, toolCall } from './support/calls.ts'

/** Whether a rule for `s/t` with these conditions stops such a call, and whether it lets it through. */
function judge(conditions: string, args: object): { stops: boolean; lets: boolean } {
  const call = toolCall('s', 't', { ...args }, agent)
  const rule = `s/t(${conditions})`
  return {
    stops: compileRules({ deny: [rule] })(call).rule === `deny ${rule}`,
    lets: compileRules({ allow: [rule] })(call).decision === 'allow',
  }
}

describe('a condition on an argument', () => {
  test.each([
    ['mode: read', { mode: 'read' }, true],
    ['mode: read', { mode: 'write' }, false],
    ['mode: read', {}, false],
    ['mode: *', {}, false],
    ['mode: *', { mode: '' }, true],
    ['mode: *', { mode: { deep: 1 } }, true],
    ['mode: *', { mode: [] }, true],
    ['mode: *e*', { mode: { deep: 1 } }, false],
    ['n: 5', { n: 5 }, true],
    ['n: 5', { n: '5' }, true],
    ['force: true', { force: true }, true],
    ['force: true', { force: false }, false],
    ['x: null', { x: null }, true],
    ['options.force: true', { options: { force: true } }, true],
    ['options.force: true', { options: 'force' }, false],
    ['options.force: true', { 'options.force': true }, false],
    ['options\\.force: true', { 'options.force': true }, true],
    ['path: /srv/*, mode: read', { path: '/srv/a', mode: 'read' }, true],
    ['path: /srv/*, mode: read', { path: '/srv/a', mode: 'write' }, false],
    ['path: /srv/*', { path: '/srvx/a' }, false],
    ['path: /a/*/c', { path: '/a/b/d/c' }, true],
    ['constructor: *', {}, false],
    ['a.__proto__: *', { a: {} }, false],
    ['text: 100\\*', { text: '100*' }, true],
    ['text: 100\\*', { text: '1000' }, false],
  ])('%s of %j: %s', (conditions, args, matches) => {
    expect(judge(conditions, args)).toEqual({ stops: matches, lets: matches })
  })

  test.each([
    ['a list, all', { paths: ['/srv/a', '/srv/b'] }, true, true],
    ['a list, one', { paths: ['/srv/a', '/etc/b'] }, true, false],
    ['a list, none', { paths: ['/etc/b'] }, false, false],
    ['an empty list', { paths: [] }, false, false],
    ['lists in lists', { paths: [['/srv/a'], ['/etc/b']] }, true, false],
  ])('stops at any of several values and lets through only all: %s', (_, args, stops, lets) => {
    expect(judge('paths: /srv/*', args)).toEqual({ stops, lets })
  })

  test('looks into the objects of a list', () => {
    const edits = (...paths: string[]) => ({ edits: paths.map((path) => ({ path })) })
    expect(judge('edits.path: /srv/*', edits('/srv/a', '/etc/b'))).toEqual({
      stops: true,
      lets: false,
    })
    expect(judge('edits.path: /srv/*', { edits: [{ path: '/srv/a' }, {}] }).lets).toBe(false)
  })

  test.each([
    // As it is written, and where it leads.
    ['path: /srv/*', '/srv/../etc/passwd', true, false],
    ['path: /etc/*', '/srv/../etc/passwd', true, false],
    ['path: /etc/*', '/srv/./../../etc/passwd', true, false],
    ['path: /etc/*', '//etc/passwd', true, false],
    ['path: /etc/*', '/./etc/passwd', true, false],
    ['path: /srv/*', '/srv/a/./b', true, true],
    ['path: /srv/*', '/srv/..', true, false],
    ['path: /', '/srv/..', true, false],
    ['path: /srv/*', '/srv/..a/b', true, true],
    ['path: src/*', 'src/../../etc', true, false],
    ['path: ../*', '../a', true, true],
    ['path: file:///srv/*', 'file:///srv/%2e%2E/etc', true, false],
    ['path: file:///etc/*', 'file:///srv/%2e%2E/etc/x', true, false],
    ['path: https://a.example/api/*', 'https://a.example/api/../admin', true, false],
    ['path: C:\\\\srv\\\\*', 'C:\\srv\\..\\windows', true, false],
    ['path: C:\\\\windows\\\\*', 'C:\\srv\\..\\windows\\x', true, false],
    ['path: *', '/srv/../etc', true, true],
    ['path: *what?*', 'so... what? ', true, true],
  ])('does not lose a path on its way: %s of %s', (conditions, path, stops, lets) => {
    expect(judge(conditions, { path })).toEqual({ stops, lets })
  })

  test('that no tool call has never matches', () => {
    const matches = compileRuleMatcher('s(path: *)')
    expect(matches(callOf('s prompts/get x', { path: 'x', arguments: { path: 'x' } }))).toBe(false)
    expect(matches({ ...toolCall('s', 't'), params: { name: 't' } })).toBe(false)
    expect(matches({ ...toolCall('s', 't'), params: { name: 't', arguments: 'path' } })).toBe(false)
  })

  test('of another request is one on its parameters', () => {
    const rule = compileRuleMatcher('s:resources/read(uri: file:///*)')
    expect(rule(callOf('s resources/read x', { uri: 'file:///a' }))).toBe(true)
    expect(rule(callOf('s resources/read x', { uri: 'http://a' }))).toBe(false)
    const call = compileRuleMatcher('s:tools/call(name: t, arguments.path: /srv/*)')
    expect(call(toolCall('s', 't', { path: '/srv/x' }))).toBe(true)
  })

  test('survives lists in lists without end, and lets none through', () => {
    let deep: unknown = 'x'
    for (let index = 0; index < 100_000; index += 1) deep = [deep]
    expect(judge('a: x', { a: deep })).toEqual({ stops: true, lets: false })
  })
})
