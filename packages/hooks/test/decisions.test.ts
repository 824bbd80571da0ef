import { createTestClock } from '@mobius-mcp/testing/test-clock.ts'
import { describe, expect, test } from 'vitest'
import { compileHooks, describeDecision, type HookDefinition } from '../src/index.ts'
import { type Answer, createSubject } from './support/subject.ts'

/** Runs these hooks, each with a target of its own, on one request. */
async function decide(hooks: readonly (Partial<HookDefinition> & { run: Answer })[]) {
  const definitions = hooks.map(({ run: _, ...more }, index) => ({
    id: `hook-${index + 1}`,
    point: 'tools/call',
    target: { server: 'policy', tool: `${index + 1}` },
    ...more,
  }))
  const targets = Object.fromEntries(
    hooks.map(({ run }, index) => [`policy/${index + 1}`, run] as const),
  )
  const { calls, subject, runner } = createSubject({ targets })
  const chain = compileHooks(definitions, { clock: createTestClock(1) }).for(
    'github',
    'tools/call',
    'request',
  )
  const outcome = await chain.run(subject, runner)
  return { ...outcome, calls: calls.map(({ target }) => target), subject }
}

const says = (answer: object) => () => answer
const observing = { mutate: false } as const

describe('of several decisions', () => {
  test.each([
    { answers: ['approve', 'approve'], decision: 'approve', by: 'hook-1' },
    { answers: ['approve', 'ask'], decision: 'ask', by: 'hook-2' },
    { answers: ['ask', 'approve'], decision: 'ask', by: 'hook-1' },
    { answers: ['ask', 'ask', 'block'], decision: 'block', by: 'hook-3' },
    { answers: ['approve', 'block'], decision: 'block', by: 'hook-2' },
  ])('$answers the strictest counts: $decision', async ({ answers, decision, by }) => {
    for (const more of [{}, observing]) {
      const hooks = answers.map((each) => ({ run: says({ decision: each }), ...more }))
      const outcome = await decide(hooks)
      expect([outcome.decision, outcome.by?.hook]).toEqual([decision, by])
    }
  })

  test('none is none', async () => {
    const outcome = await decide([{ run: () => undefined }, { run: says({ reason: 'fine' }) }])
    expect(outcome.decision).toBeUndefined()
    expect(outcome.by).toBeUndefined()
    expect(outcome.trace.map(({ reason }) => reason)).toEqual([undefined, 'fine'])
  })
})

describe('a block', () => {
  test('stops the chain: neither later changes nor observers are asked', async () => {
    const outcome = await decide([
      { run: says({ decision: 'block', reason: 'no' }) },
      { run: says({ decision: 'approve' }) },
      { run: () => undefined, ...observing },
    ])
    expect(outcome.calls).toEqual(['policy/1'])
    expect(outcome.decision).toBe('block')
  })

  test('denies whatever onError says', async () => {
    const outcome = await decide([{ run: says({ decision: 'block' }), onError: 'allow' }])
    expect(outcome.decision).toBe('block')
  })

  test('changes nothing, even where it says so', async () => {
    const run = says({ decision: 'block', value: { params: { name: 'search' } } })
    const outcome = await decide([{ run }])
    expect(outcome.message).toBe(outcome.subject.message)
  })

  test('by several observers is always the first of the list, however long it takes', async () => {
    const slow = Promise.withResolvers<object>()
    const outcome = decide([
      { run: () => slow.promise, ...observing },
      { run: says({ decision: 'block', reason: 'fast' }), ...observing },
    ])
    await Promise.resolve()
    slow.resolve({ decision: 'block', reason: 'slow' })
    expect((await outcome).by?.reason).toBe('slow')
  })

  test.each([
    [{ decision: 'block', reason: 'it holds a key' }],
    [{ decision: 'block' }],
    [{ accept: false, reason: 'it holds a key' }],
  ])('is told by hook, target and reason: %j', async (answer) => {
    const { by } = await decide([{ run: says(answer), id: 'no-secrets' }])
    expect(by && describeDecision(by)).toMatchSnapshot()
  })
})

describe("nanobot's answers", () => {
  test.each([
    { answer: { accept: true }, decision: undefined },
    { answer: { accept: true, mutated: false, message: { method: 'x' } }, decision: undefined },
    { answer: { accept: false }, decision: 'block' },
    { answer: { mutated: false }, decision: 'block' },
    { answer: { mutated: true, message: {} }, decision: 'block' },
    { answer: { accept: true, mutated: true }, decision: 'block' },
    { answer: { accept: 'yes' }, decision: 'block' },
  ])('mean the same here: $answer', async ({ answer, decision }) => {
    const outcome = await decide([{ run: says(answer) }])
    expect(outcome.decision).toBe(decision)
    expect(outcome.message).toBe(outcome.subject.message)
  })

  test('change the message as a whole, envelope or not', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'y' } },
      result: null,
    }
    const outcome = await decide([{ run: says({ accept: true, mutated: true, message }) }])
    expect(outcome.message).toEqual({ method: message.method, params: message.params })
  })

  test('stand each for itself: what one left out is not taken from the one before', async () => {
    const outcome = await decide([
      { run: says({ accept: true, reason: 'fine with me' }) },
      { run: says({ mutated: false }) },
    ])
    expect(outcome.decision).toBe('block')
    expect(outcome.trace[1]).toMatchObject({ hook: 'hook-2', decision: 'block' })
    expect(outcome.trace[1]?.reason).toBeUndefined()
  })

  test('say no by trying to change what they may only look at, even to the same', async () => {
    const run: Answer = ({ message }) => ({ accept: true, mutated: true, message })
    const outcome = await decide([{ run, ...observing }])
    expect(outcome.by && describeDecision(outcome.by)).toMatchInlineSnapshot(
      `"hook hook-1 (policy/1): it tried to change the message, and may only look (!mutate)"`,
    )
  })
})
