import { type JsonObject, ProtocolError } from '@mobius-mcp/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGate, createGateway, type Gate } from './support/gateway.ts'
import { createPolicy, type HookInput, toHooks } from './support/policy.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const argumentsOf = (params: JsonObject) => params.arguments as JsonObject
const wordOf = ({ message }: HookInput) => String(argumentsOf(message.params ?? {}).word)

describe('requests to one server', () => {
  function setUp() {
    const gates = new Map<string, Gate<unknown>>()
    const policy = createPolicy({
      check(input) {
        const gate = createGate<unknown>()
        gates.set(wordOf(input), gate)
        return gate.wait()
      },
    })
    const server = serveUpstream(
      answerTools({ slow: () => text('slow'), plain: () => text('plain') }),
    )
    const gateway = createGateway({
      upstreams: { one: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'tools/call?server=one&name=slow&direction=request': 'policy/check' }),
    })
    const open = async (word: string, answer?: unknown) => {
      gates.get(word)?.open(answer)
      await settle()
    }
    const words = () => server.received('tools/call').map((each) => argumentsOf(each).word)
    return { gateway, open, words }
  }

  test('stay in order, while hooks look at them side by side', async () => {
    const { gateway, open, words } = setUp()
    await using _ = gateway
    const client = await gateway.client()
    await client.names()
    const calls = [
      client.text('one__slow', { word: 'a' }),
      client.text('one__slow', { word: 'b' }),
      client.text('one__plain', { word: 'c' }),
    ]
    await settle()
    await open('b')
    expect(words()).toEqual([])
    await open('a')
    expect(words()).toEqual(['a', 'b', 'c'])
    expect(await Promise.all(calls)).toEqual(['slow', 'slow', 'plain'])
    expect(await client.text('one__plain', { word: 'd' })).toBe('plain')
  })

  test('do not wait for one that is blocked or taken back', async () => {
    const { gateway, open, words } = setUp()
    await using _ = gateway
    const client = await gateway.client()
    await client.names()
    const abort = new AbortController()
    const params = { name: 'one__slow', arguments: { word: 'a' } }
    const first = client.session.request('tools/call', params, { signal: abort.signal })
    first.catch(() => {})
    const second = client.text('one__slow', { word: 'b' })
    const third = client.text('one__plain', { word: 'c' })
    await settle()
    abort.abort()
    await settle()
    await open('b', { decision: 'block' })
    expect(await second).toMatch('-32004')
    expect(await third).toBe('plain')
    expect(words()).toEqual(['c'])
  })

  test('do not wait for those of other sessions, nor for those to other servers', async () => {
    const { gateway } = setUp()
    await using _ = gateway
    const [client, other] = [await gateway.client(), await gateway.client()]
    await client.names()
    await other.names()
    void client.text('one__slow', { word: 'a' })
    await settle()
    expect(await other.text('one__plain', { word: 'b' })).toBe('plain')
  })
})

describe('what a server says', () => {
  test('is told in order, and no result overtakes progress or a log that hooks still look at', async () => {
    const gates: Gate<unknown>[] = []
    const policy = createPolicy({
      check() {
        const gate = createGate<unknown>()
        gates.push(gate)
        return gate.wait()
      },
    })
    const server = serveUpstream(
      answerTools({
        async work(_, context) {
          context.progress({ progress: 1 })
          context.notify('notifications/message', { level: 'error', data: 'x' })
          context.progress({ progress: 2 })
          return text('done')
        },
      }),
    )
    await using gateway = createGateway({
      upstreams: { one: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'notifications/progress': 'policy/check' }),
    })
    const client = await gateway.client()
    await client.names()
    const order: string[] = []
    const call = client.session
      .request(
        'tools/call',
        { name: 'one__work', arguments: {} },
        { onProgress: ({ progress }) => order.push(`progress ${progress}`) },
      )
      .then(() => order.push('result'))
    await settle()
    gates[1]?.open(undefined)
    await settle()
    expect(order).toEqual([])
    gates[0]?.open(undefined)
    await call
    expect(order).toEqual(['progress 1', 'progress 2', 'result'])
    const told = client.messages.flatMap((each) => ('method' in each ? [each.method] : ['result']))
    expect(told.slice(-4)).toEqual([
      'notifications/progress',
      'notifications/message',
      'notifications/progress',
      'result',
    ])
  })

  test('waits neither for a call nor for a question that is open', async () => {
    const policy = createPolicy({ check: () => undefined })
    const gate = createGate<JsonObject>()
    const server = serveUpstream(
      answerTools({
        ask: (_, context) =>
          context.ask('elicitation/create', { message: 'x', requestedSchema: {} }),
        fine: () => text('fine'),
      }),
    )
    await using gateway = createGateway({
      upstreams: { one: server },
      builtIns: [policy.definition],
      hooks: toHooks({ '*?server=one': 'policy/check' }),
    })
    const client = await gateway.client({ answers: { 'elicitation/create': () => gate.wait() } })
    const asking = client.call('one__ask')
    await settle()
    expect(await client.text('one__fine')).toBe('fine')
    gate.open({ action: 'decline', content: [] })
    expect(await asking).toMatchObject({ action: 'decline' })
  })
})

test('two changing hooks give the same answer a thousand times, however long each takes', async () => {
  const after = async (turns: number) => {
    for (let turn = 0; turn < turns; turn++) await null
  }
  let delays: readonly number[] = [0, 0]
  const add = (letter: string, index: number) => async (input: HookInput) => {
    const word = wordOf(input)
    await after(delays[index] ?? 0)
    return { patch: { params: { arguments: { word: `${word}${letter}` } } } }
  }
  const policy = createPolicy({ first: add('a', 0), second: add('b', 1) })
  const server = serveUpstream(
    answerTools({ echo: (params) => text(String(argumentsOf(params).word)) }),
  )
  await using gateway = createGateway({
    upstreams: { one: server },
    builtIns: [policy.definition],
    hooks: toHooks({
      'tools/call?server=one&direction=request': ['policy/first', 'policy/second'],
    }),
  })
  const client = await gateway.client()
  const delay = fc.integer({ min: 0, max: 20 })
  await fc.assert(
    fc.asyncProperty(fc.tuple(delay, delay), async (chosen) => {
      delays = chosen
      expect(await client.text('one__echo', { word: 'x' })).toBe('xab')
    }),
    { numRuns: 1000 },
  )
  expect(server.received('tools/call')).toHaveLength(1000)
})

test('an error passes the hooks in its place, too', async () => {
  const policy = createPolicy({
    check: ({ message }) => ({ patch: { error: { message: `${message.error?.message}!` } } }),
  })
  const server = serveUpstream(
    answerTools({
      fail: () => {
        throw new ProtocolError('INVALID_PARAMS', 'no')
      },
      fine: () => text('fine'),
    }),
  )
  await using gateway = createGateway({
    upstreams: { one: server },
    builtIns: [policy.definition],
    hooks: toHooks({ 'tools/call?server=one&callOnError=true': 'policy/check' }),
  })
  const client = await gateway.client()
  expect(await client.text('one__fail')).toBe('-32602 no!')
  expect(await client.text('one__fine')).toBe('fine')
  expect(policy.seen).toHaveLength(1)
})
