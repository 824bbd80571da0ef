import { describe, expect, test } from 'vitest'
import {
  compileHooks,
  type HookDefinition,
  type HookDirection,
  type HookMatch,
  type HookMessage,
  parseHookKey,
} from '../src/index.ts'
import { createSubject } from './support/subject.ts'

const target = { server: 'policy', tool: 'check' }

interface Place {
  server?: string
  method?: string
  direction?: HookDirection
  name?: string
  message?: Partial<HookMessage>
}

/** Whether a hook with this key fires there. */
async function fires(key: string, place: Place, more: Partial<HookDefinition> = {}) {
  const { server = 'github', method = 'tools/call', direction = 'request', name = 'search' } = place
  const message = { method, params: { name }, ...place.message }
  const { calls, subject, runner } = createSubject({
    targets: { 'policy/check': () => undefined },
    subject: { name, message },
  })
  const hooks = compileHooks([{ id: 'h', ...parseHookKey(key), target, ...more }], {
    matchIf: (text) => (match) => match.name === text,
  })
  await hooks.for(server, method, direction).run(subject, runner)
  return calls.length === 1
}

const error = { error: { code: 1, message: 'no' } }

test.each<[string, Place, boolean]>([
  ['tools/call', {}, true],
  ['tools/call', { method: 'prompts/get' }, false],
  ['tools/call', { direction: 'response' }, true],
  ['*', { method: 'notifications/progress' }, true],
  ['notifications/*', { method: 'notifications/tools/list_changed' }, true],
  ['notifications/*', {}, false],
  ['tools/call?direction=request', {}, true],
  ['tools/call?direction=request', { direction: 'response' }, false],
  ['tools/call?server=github', {}, true],
  ['tools/call?server=git*', {}, true],
  ['tools/call?server=gitlab', {}, false],
  ['tools/call?name=search', {}, true],
  ['tools/call?name=se*ch', {}, true],
  ['tools/call?name=delete', {}, false],
  ['*?name=file:///*', { method: 'resources/read', name: 'file:///etc/passwd' }, true],
  ['*?method=tools/*', {}, true],
  ['*?method=tools/*', { method: 'prompts/get' }, false],
  ['*?callOnError=true', { direction: 'response', message: error }, true],
  ['*?callOnError=true', { direction: 'response', message: { result: {} } }, false],
  ['*?callOnError=true', {}, false],
  ['*?callOnError=false', { direction: 'response', message: error }, false],
  ['*?callOnError=false', { direction: 'response', message: { result: {} } }, true],
  ['*?callOnError=false', {}, true],
  ['*?name=search&callOnError=false', { name: 'other' }, false],
])('%s at %j: %s', async (key, place, expected) => {
  expect(await fires(key, place)).toBe(expected)
})

describe('conditions of other grammars', () => {
  test('decide for each message', async () => {
    expect(await fires('*', { name: 'search' }, { if: 'search' })).toBe(true)
    expect(await fires('*', { name: 'delete' }, { if: 'search' })).toBe(false)
  })

  test('are read once, and see the message as the hooks before left it', async () => {
    const read: string[] = []
    const seen: HookMatch[] = []
    const { subject, runner } = createSubject({
      targets: {
        'policy/change': () => ({ patch: { params: { arguments: { query: 'y' } } } }),
        'policy/check': () => undefined,
      },
    })
    const hooks = compileHooks(
      [
        { id: 'a', point: '*', target: { server: 'policy', tool: 'change' } },
        { id: 'b', point: '*', target, if: 'whatever' },
      ],
      {
        matchIf(text) {
          read.push(text)
          return (match) => seen.push(match) > 0
        },
      },
    )
    for (let round = 0; round < 2; round++) {
      await hooks.for('github', 'tools/call', 'request').run(subject, runner)
    }
    expect(read).toEqual(['whatever'])
    expect(seen).toHaveLength(2)
    expect(seen[0]).toEqual({
      server: 'github',
      method: 'tools/call',
      direction: 'request',
      name: 'search',
      message: {
        method: 'tools/call',
        params: { name: 'search', arguments: { query: 'y' } },
      },
    })
  })
})

test.each(['initialize', 'notifications/initialized'])(
  'a hook is not asked about %s of the server that its target is on',
  (method) => {
    const target = { server: 'policy', tool: 'check' }
    const hooks = compileHooks([{ id: 'all', point: '*', target }])
    const seen = ['policy', 'github'].map((name) => !hooks.for(name, method, 'request').empty)
    expect(seen).toEqual([false, true])
    expect(hooks.for('policy', 'tools/list', 'response').empty).toBe(false)
  },
)

describe('a hook that is at work already', () => {
  const cases: [string, Parameters<typeof createSubject>[0]][] = [
    ['directly', { subject: { origin: { kind: 'hook', name: 'h', cause: { kind: 'client' } } } }],
    [
      'further up',
      {
        subject: {
          origin: {
            kind: 'agent',
            name: 'a',
            cause: { kind: 'hook', name: 'h', cause: { kind: 'client' } },
          },
        },
      },
    ],
  ]
  test.each(cases)('does not fire on what it caused %s; others do', async (_, options) => {
    const { calls, subject, runner } = createSubject({
      targets: { 'policy/check': () => undefined, 'policy/other': () => undefined },
      ...options,
    })
    const hooks = compileHooks([
      { id: 'h', point: '*', target },
      { id: 'other', point: '*', target: { server: 'policy', tool: 'other' } },
    ])
    await hooks.for('policy', 'tools/call', 'request').run(subject, runner)
    expect(calls.map((call) => call.target)).toEqual(['policy/other'])
  })

  test('is told by its id and kind: an agent of the same name is not it', async () => {
    const { calls, subject, runner } = createSubject({
      targets: { 'policy/check': () => undefined },
      subject: { origin: { kind: 'agent', name: 'h' } },
    })
    await compileHooks([{ id: 'h', point: '*', target }])
      .for('github', 'tools/call', 'request')
      .run(subject, runner)
    expect(calls).toHaveLength(1)
  })
})

describe('chains', () => {
  test('are compiled once for each server, method and direction', () => {
    const hooks = compileHooks([{ id: 'h', point: 'tools/call', params: { server: 'a' }, target }])
    const chain = hooks.for('a', 'tools/call', 'request')
    expect(hooks.for('a', 'tools/call', 'request')).toBe(chain)
    expect(chain.empty).toBe(false)
    expect(hooks.for('b', 'tools/call', 'request').empty).toBe(true)
    expect(hooks.for('a', 'tools/list', 'request').empty).toBe(true)
  })

  test('of methods without end do not fill the memory, and still run', () => {
    const hooks = compileHooks([{ id: 'h', point: 'x/*', target }])
    for (let index = 0; index < 5000; index++) hooks.for('a', `x/${index}`, 'request')
    const chain = hooks.for('a', 'x/4999', 'request')
    expect(chain.empty).toBe(false)
    // The last few are at hand, and no others.
    for (const method of ['x/5000', 'x/5001', 'x/5002']) hooks.for('a', method, 'request')
    expect(hooks.for('a', 'x/4999', 'request')).not.toBe(chain)
  })
})

test.each<[string, Partial<HookDefinition>]>([
  ['an id', { id: '' }],
  ['a point', { point: '' }],
  ['a target', { target: { server: 'policy', tool: '' } }],
  ['a timeout', { timeout: 0 }],
  ['onError', { onError: 'ignore' as 'allow' }],
  ['with', { with: { message: 'mine', level: 1 } }],
  ['if', { if: 'server == "a"' }],
])('a definition with a wrong %s says so', (_, more) => {
  const definition = { id: 'h', point: '*', target, ...more }
  expect(() => compileHooks([definition])).toThrowErrorMatchingSnapshot()
})

test('two hooks with one id are refused', () => {
  const twice = [
    { id: 'h', point: '*', target },
    { id: 'h', point: 'tools/call', target },
  ]
  expect(() => compileHooks(twice)).toThrowErrorMatchingInlineSnapshot(
    `[TypeError: Invalid hook "h": there is another one with this id]`,
  )
})
