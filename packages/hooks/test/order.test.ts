import { setImmediate } from 'node:timers/promises'
import type { JsonObject } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { compileHooks, type HookDefinition } from '../src/index.ts'
import { type Answer, createSubject, messageIn } from './support/subject.ts'

const target = (tool: string) => ({ server: 'policy', tool })

/** Adds a letter to what the message asks for. */
const add =
  (letter: string): Answer =>
  (input) => {
    const { params } = messageIn(input)
    const query = `${String(params.arguments.query)}${letter}`
    return { patch: { params: { arguments: { query } } } }
  }

async function run(
  definitions: readonly HookDefinition[],
  targets: Readonly<Record<string, Answer>>,
) {
  const { calls, subject, runner } = createSubject({ targets })
  const chain = compileHooks(definitions).for('github', 'tools/call', 'request')
  const outcome = await chain.run(subject, runner)
  const { arguments: args } = messageIn({ message: outcome.message }).params
  return { ...outcome, calls, query: args.query, subject }
}

const hook = (id: string, more: Partial<HookDefinition> = {}): HookDefinition => ({
  id,
  point: 'tools/call',
  target: target(id),
  ...more,
})

describe('changing hooks', () => {
  test('each see what the one before made, in the order of the list', async () => {
    const targets = { 'policy/a': add('a'), 'policy/b': add('b'), 'policy/c': add('c') }
    expect(
      (
        await run(
          ['a', 'b', 'c'].map((id) => hook(id)),
          targets,
        )
      ).query,
    ).toBe('xabc')
    expect(
      (
        await run(
          ['c', 'b', 'a'].map((id) => hook(id)),
          targets,
        )
      ).query,
    ).toBe('xcba')
  })

  test('of a higher priority run earlier; of equals, the first of the list', async () => {
    const targets = { 'policy/a': add('a'), 'policy/b': add('b'), 'policy/c': add('c') }
    const hooks = [hook('a', { priority: -1 }), hook('b'), hook('c', { priority: 10 })]
    expect((await run(hooks, targets)).query).toBe('xcba')
    const mixed = [hook('a', { priority: 1 }), hook('b', { priority: 1 }), hook('c')]
    expect((await run(mixed, targets)).query).toBe('xabc')
  })

  test('give the same answer a thousand times, however long each takes', async () => {
    const slowly =
      (answer: Answer): Answer =>
      async (input, call) => {
        for (let turns = Math.floor(Math.random() * 5); turns > 0; turns--) await setImmediate()
        return answer(input, call)
      }
    const targets = { 'policy/a': slowly(add('a')), 'policy/b': slowly(add('b')) }
    const hooks = compileHooks([hook('a'), hook('b')])
    const chain = hooks.for('github', 'tools/call', 'request')
    const queries = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const { subject, runner } = createSubject({ targets })
        const { message } = await chain.run(subject, runner)
        return messageIn({ message }).params.arguments.query
      }),
    )
    expect(new Set(queries)).toEqual(new Set(['xab']))
  })
})

describe('observing hooks', () => {
  test('see the final value, wherever they stand in the list', async () => {
    const hooks = [hook('look', { mutate: false }), hook('a'), hook('b')]
    const { calls } = await run(hooks, {
      'policy/a': add('a'),
      'policy/b': add('b'),
      'policy/look': () => undefined,
    })
    const seen = calls.map(({ target, input }) => [target, messageIn(input).params.arguments.query])
    expect(seen).toEqual([
      ['policy/a', 'x'],
      ['policy/b', 'xa'],
      ['policy/look', 'xab'],
    ])
  })

  test('run side by side', async () => {
    const both = Promise.withResolvers<void>()
    let arrived = 0
    const wait = () => {
      arrived += 1
      if (arrived === 2) both.resolve()
      return both.promise
    }
    const hooks = [hook('a', { mutate: false }), hook('b', { mutate: false })]
    const { trace } = await run(hooks, { 'policy/a': wait, 'policy/b': wait })
    expect(trace.map(({ hook: id }) => id)).toEqual(['a', 'b'])
  })
})

describe('handlers that would do the same', () => {
  test('run once', async () => {
    const same = { target: target('a'), with: { level: 1 } }
    const hooks = [hook('one', same), hook('two', { ...same, point: '*' }), hook('three', same)]
    const { calls, query } = await run(hooks, { 'policy/a': add('a') })
    expect(calls).toHaveLength(1)
    expect(query).toBe('xa')
  })

  test('run each where anything of them differs', async () => {
    const hooks = [
      hook('one', { target: target('a') }),
      hook('two', { target: target('a'), with: { level: 1 } }),
      hook('three', { target: target('a'), onError: 'allow' }),
      hook('four', { target: target('a'), mutate: false }),
    ]
    const { calls } = await run(hooks, { 'policy/a': () => undefined })
    expect(calls).toHaveLength(4)
  })

  test('run where the first of them does not match', async () => {
    const hooks = [
      hook('one', { target: target('a'), params: { name: 'other' } }),
      hook('two', { target: target('a') }),
    ]
    const { trace } = await run(hooks, { 'policy/a': () => undefined })
    expect(trace.map(({ hook: id }) => id)).toEqual(['two'])
  })
})

test('a target is told of the message, and of what the configuration adds', async () => {
  const call = { id: '7', depth: 0 }
  const { calls, subject, runner } = createSubject({
    targets: { 'policy/a': () => undefined },
    subject: { call },
  })
  const chain = compileHooks([hook('a', { with: { level: 1 } })]).for(
    'github',
    'tools/call',
    'request',
  )
  await chain.run(subject, runner)
  expect(calls).toEqual([
    {
      target: 'policy/a',
      input: {
        level: 1,
        point: 'tools/call',
        direction: 'request',
        server: 'github',
        name: 'search',
        message: subject.message,
        call,
      } satisfies JsonObject,
    },
  ])
})
