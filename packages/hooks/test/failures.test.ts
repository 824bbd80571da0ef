import { setImmediate } from 'node:timers/promises'
import { createTestClock } from '@mobius-mcp/testing/test-clock.ts'
import { describe, expect, test } from 'vitest'
import { compileHooks, describeDecision, type HookDefinition } from '../src/index.ts'
import { type Answer, createSubject } from './support/subject.ts'

const target = { server: 'policy', tool: 'check' }
const second = 1000

function start(run: Answer | undefined, more: Partial<HookDefinition> = {}) {
  const clock = createTestClock(1)
  const targets = run ? { 'policy/check': run } : {}
  const { subject, runner } = createSubject({ targets })
  const hooks = compileHooks([{ id: 'h', point: '*', target, ...more }], { clock })
  return { clock, outcome: hooks.for('github', 'tools/call', 'request').run(subject, runner) }
}

const failures: [string, Answer | undefined][] = [
  ['a target that is not there', undefined],
  [
    'a target that crashes',
    () => {
      throw new Error('exited with code 1')
    },
  ],
  ['a target that fails', () => ({ content: [{ type: 'text', text: 'no disk' }], isError: true })],
  ['a target that fails without a word', () => ({ content: [], isError: true })],
  ['garbage', () => ({ decision: 'maybe' })],
  ['a slip of the finger', () => ({ descision: 'block' })],
  ['two shapes at once', () => ({ accept: true, decision: 'approve' })],
  ['two changes at once', () => ({ value: {}, patch: {} })],
  ['a list', () => ['block']],
  ['no object to change to', () => ({ value: 'text' })],
  ['a reason that is no text', () => ({ decision: 'block', reason: 1 })],
]

describe.each(failures)('%s', (_, run) => {
  test('denies by default, and says what happened', async () => {
    const { decision, by } = await start(run).outcome
    expect(decision).toBe('block')
    expect(by && describeDecision(by)).toMatchSnapshot()
  })

  test('lets the message pass with onError: allow, and the trace says what happened', async () => {
    const outcome = await start(run, { onError: 'allow' }).outcome
    expect(outcome.decision).toBeUndefined()
    expect(outcome.trace).toMatchObject([{ hook: 'h', failure: expect.any(String) }])
  })
})

describe('a hook that does not answer', () => {
  test.each([
    { onError: 'deny', decision: 'block' },
    { onError: 'allow', decision: undefined },
  ] as const)('is given up after its time, and then $onError stands', async (each) => {
    const never = () => new Promise(() => {})
    const { clock, outcome } = start(never, { onError: each.onError, timeout: 5 * second })
    let done = false
    void Promise.resolve(outcome).then(() => {
      done = true
    })
    await clock.advance(4.9 * second)
    expect(done).toBe(false)
    await clock.advance(0.2 * second)
    const { decision, trace } = await outcome
    expect(decision).toBe(each.decision)
    expect(trace).toMatchObject([{ failure: 'no answer within 5 s', milliseconds: 5000 }])
  })

  test('is told that nobody waits any more', async () => {
    const told: unknown[] = []
    const { clock, outcome } = start((_, { cancellation }) => {
      cancellation.listen({ onCancel: (reason) => told.push(reason) })
      return new Promise(() => {})
    })
    await clock.advance(31 * second)
    await outcome
    expect(told).toEqual(['no answer within 30 s'])
  })

  test('and one that does leave no timer behind', async () => {
    const { clock, outcome } = start(() => undefined)
    await outcome
    await clock.advance(second)
    expect(clock.timers).toBe(0)
  })
})

test('what a condition throws is a failure of its hook', async () => {
  const matchIf = () => () => {
    throw new Error('no such field')
  }
  const { subject, runner } = createSubject()
  const hooks = compileHooks([{ id: 'h', point: '*', target, if: 'x' }], { matchIf })
  const { by } = await hooks.for('github', 'tools/call', 'request').run(subject, runner)
  expect(by && describeDecision(by)).toMatchInlineSnapshot(
    `"hook h (policy/check) failed: no such field"`,
  )
})

test('an answer that stands in a text alone counts: a block must not get lost', async () => {
  const text = '{ "decision": "block", "reason": "no" }'
  const outcome = await start(() => ({ content: [{ type: 'text', text }] })).outcome
  expect(outcome.by).toMatchObject({ decision: 'block', reason: 'no' })
})

test.each([
  [[{ type: 'text', text: 'All is well.' }]],
  [[{ type: 'text', text: '{ not JSON' }]],
  [[]],
])('other content is no opinion: %j', async (content) => {
  const { decision, trace } = await start(() => ({ content })).outcome
  expect(decision).toBeUndefined()
  expect(trace[0]?.failure).toBeUndefined()
})

test('members that are null are not there', async () => {
  const answer = { decision: null, reason: null, value: null, patch: null, systemMessage: null }
  const { decision, trace } = await start(() => answer).outcome
  expect(decision).toBeUndefined()
  expect(trace).toEqual([
    { hook: 'h', target, method: 'tools/call', direction: 'request', milliseconds: 0 },
  ])
})

test('a long reason is cut', async () => {
  const reason = 'no'.repeat(1000)
  const { by } = await start(() => ({ decision: 'block', reason })).outcome
  expect(by?.reason).toHaveLength(1001)
  await setImmediate()
})
