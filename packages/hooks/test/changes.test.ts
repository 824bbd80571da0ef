import type { JsonObject } from '@mobius-mcp/protocol'
import { createTestClock } from '@mobius-mcp/testing/test-clock.ts'
import { describe, expect, test } from 'vitest'
import {
  compileHooks,
  describeDecision,
  type HookDefinition,
  type HookDirection,
  type HookMessage,
} from '../src/index.ts'
import { type Answer, createSubject, messageIn } from './support/subject.ts'

interface Case {
  run: Answer
  direction?: HookDirection
  message?: HookMessage
  hook?: Partial<HookDefinition>
}

/** What one hook makes of a message. */
async function change({ run, direction = 'request', message, hook }: Case) {
  const definition = { id: 'h', point: '*', target: { server: 'policy', tool: 'do' }, ...hook }
  const chain = compileHooks([definition], { clock: createTestClock(1) }).for(
    'github',
    message?.method ?? 'tools/call',
    direction,
  )
  const { subject, runner } = createSubject({
    targets: { 'policy/do': run },
    subject: message ? { message } : {},
  })
  const outcome = await chain.run(subject, runner)
  return { ...outcome, before: subject.message, said: outcome.by && describeDecision(outcome.by) }
}

const says = (answer: object) => () => answer
const request: HookMessage = {
  method: 'tools/call',
  params: { name: 'search', arguments: { query: 'x', key: 'secret' }, _meta: { a: 1 } },
}
const answered: HookMessage = { ...request, result: { content: [], note: 'n' } }
const failed: HookMessage = { ...request, error: { code: -32000, message: 'gone' } }

describe('a change of a request', () => {
  test('by patch changes what it names and nothing else', async () => {
    const patch = { params: { arguments: { key: null, safe: true } } }
    const { message, trace } = await change({ run: says({ patch }), message: request })
    expect(message).toEqual({
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'x', safe: true }, _meta: { a: 1 } },
    })
    expect(trace).toMatchObject([{ hook: 'h', change: { patch } }])
  })

  test('by value replaces the members that it has', async () => {
    const params = { name: 'search', arguments: { query: 'y' } }
    const { message } = await change({ run: says({ value: { params } }), message: request })
    expect(message).toEqual({ method: 'tools/call', params })
  })

  test('that changes nothing is none', async () => {
    for (const answer of [{ value: structuredClone(request) }, { patch: {} }, { value: {} }]) {
      const { message, before, trace } = await change({ run: says(answer), message: request })
      expect(message).toBe(before)
      expect(trace[0]?.change).toBeUndefined()
    }
  })

  test('never touches the message that others hold', async () => {
    const before = structuredClone(request)
    await change({
      run: says({ patch: { params: { arguments: { key: null } } } }),
      message: request,
    })
    expect(request).toEqual(before)
  })

  test.each<[string, JsonObject]>([
    ['the method', { value: { method: 'prompts/get' } }],
    ['the name', { patch: { params: { name: 'delete' } } }],
    ['the name, by leaving it out', { value: { params: { arguments: {} } } }],
    ['the params away', { patch: { params: null } }],
  ])('cannot change %s, whatever onError says', async (_, answer) => {
    const hook = { onError: 'allow' as const }
    const { decision, message, before, said } = await change({
      run: says(answer),
      message: request,
      hook,
    })
    expect(decision).toBe('block')
    expect(message).toBe(before)
    expect(said).toMatchSnapshot()
  })

  test.each<[HookMessage, JsonObject]>([
    [{ method: 'resources/read', params: { uri: 'x://1' } }, { params: { uri: 'x://2' } }],
    [
      { method: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'a' } } },
      { params: { ref: { name: 'b' } } },
    ],
  ])('cannot change what is asked for: %j', async (message, patch) => {
    expect((await change({ run: says({ patch }), message })).decision).toBe('block')
  })
})

describe('a change of an answer', () => {
  const direction = 'response'

  test('changes the result', async () => {
    const patch = { result: { note: null, seen: true } }
    const { message } = await change({ run: says({ patch }), message: answered, direction })
    expect(message.result).toEqual({ content: [], seen: true })
  })

  test.each<JsonObject>([
    { value: { result: { content: [] } } },
    { patch: { result: { content: [] } } },
  ])('puts a result in place of an error: %j', async (answer) => {
    const { message } = await change({ run: says(answer), message: failed, direction })
    expect(message).toEqual({ ...request, result: { content: [] } })
  })

  test('puts an error in place of a result', async () => {
    const error = { code: 1, message: 'no' }
    const { message } = await change({
      run: says({ value: { error } }),
      message: answered,
      direction,
    })
    expect(message).toEqual({ ...request, error })
  })

  test('cannot change what was asked', async () => {
    const patch = { params: { arguments: { query: 'y' } } }
    const { said } = await change({ run: says({ patch }), message: answered, direction })
    expect(said).toMatchInlineSnapshot(
      `"hook h (policy/do): it tried to change the params of a request that was answered already"`,
    )
  })
})

describe('what is no message is a failure', () => {
  test.each<[JsonObject, HookDirection]>([
    [{ value: { params: [] } }, 'request'],
    [{ value: { result: {} } }, 'request'],
    [{ value: { parameters: {} } }, 'request'],
    [{ patch: { method: null } }, 'request'],
    [{ value: { result: 'text' } }, 'response'],
    [{ patch: { result: null } }, 'response'],
    [{ value: { error: { message: 'no code' } } }, 'response'],
    [{ value: { result: {}, error: { code: 1, message: 'no' } } }, 'response'],
  ])('%j for a %s', async (answer, direction) => {
    const message = direction === 'request' ? request : answered
    const denied = await change({ run: says(answer), message, direction })
    expect(denied.decision).toBe('block')
    expect(denied.said).toMatchSnapshot()
    const hook = { onError: 'allow' as const }
    const allowed = await change({ run: says(answer), message, direction, hook })
    expect(allowed.decision).toBeUndefined()
    expect(allowed.message).toBe(allowed.before)
  })

  test('what JSON cannot hold', async () => {
    const run = says({ patch: { params: { arguments: { big: 1n } } } })
    expect((await change({ run })).decision).toBe('block')
  })
})

describe('an observing hook', () => {
  const hook = { mutate: false }

  test('that tries to change something refuses by that, and says so', async () => {
    const { said, message, before } = await change({
      run: says({ patch: { params: { arguments: { query: 'y' } } } }),
      hook: { ...hook, onError: 'allow' },
    })
    expect(said).toMatchInlineSnapshot(
      `"hook h (policy/do): it tried to change the message, and may only look (!mutate)"`,
    )
    expect(message).toBe(before)
  })

  test('may hand back what it was given', async () => {
    const run: Answer = (input) => ({ value: messageIn(input) })
    expect((await change({ run, hook })).decision).toBeUndefined()
  })
})

describe('the trace of a change', () => {
  const patch = { params: { arguments: { query: 'y' } } }

  test('has the hash of what it made, and the patch', async () => {
    const { trace } = await change({ run: says({ patch, reason: 'better' }), message: request })
    expect(trace).toMatchInlineSnapshot(`
      [
        {
          "change": {
            "hash": "d162d310129363dd4a1235104997c48b01aa3338150784d6cac56c4c293030c3",
            "patch": {
              "params": {
                "arguments": {
                  "query": "y",
                },
              },
            },
          },
          "direction": "request",
          "hook": "h",
          "method": "tools/call",
          "milliseconds": 0,
          "reason": "better",
          "target": {
            "server": "policy",
            "tool": "do",
          },
        },
      ]
    `)
  })

  test('keeps the patch to itself where it is redacted', async () => {
    const { trace } = await change({ run: says({ patch }), hook: { redact: true } })
    expect(Object.keys(trace[0]?.change ?? {})).toEqual(['hash'])
  })

  test('leaves out a patch that is too large to keep', async () => {
    const large = { params: { arguments: { query: 'y'.repeat(5000) } } }
    const { trace } = await change({ run: says({ patch: large }) })
    expect(Object.keys(trace[0]?.change ?? {})).toEqual(['hash'])
  })
})
