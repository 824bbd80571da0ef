import { parseHookKey } from '@mobius-mcp/hooks'
import { type JsonObject, ProtocolError } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, errorOf } from './support/gateway.ts'
import { createPolicy, type HookInput, type Judge, toHooks } from './support/policy.ts'
import { settle, settleUntil } from './support/settle.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

// Each test says what nanobot does wrong and asserts what is right. reference/nanobot.md, 4 and 10.1.

const upstream = () =>
  serveUpstream(
    answerTools({
      fine: (params) => text(JSON.stringify(params.arguments)),
      fail: () => {
        throw new ProtocolError('INVALID_PARAMS', 'no such file')
      },
    }),
  )

const request = 'tools/call?server=one&direction=request'
const response = 'tools/call?server=one&direction=response'

async function setUp(
  judges: Readonly<Record<string, Judge>>,
  entries: Readonly<Record<string, string | readonly string[]>>,
) {
  const policy = createPolicy(judges)
  const server = upstream()
  const gateway = createGateway({
    upstreams: { one: server },
    builtIns: [policy.definition],
    hooks: toHooks(entries),
  })
  const client = await gateway.client()
  await client.names()
  const { definition: _, ...rest } = policy
  return { ...rest, server, gateway, client, [Symbol.asyncDispose]: () => gateway.service.close() }
}

describe('4.1 the configuration', () => {
  test('keys are not sorted: hooks run in the order in which they stand', async () => {
    const add = (letter: string) => (input: HookInput) => {
      const { word = '' } = (input.message.params?.arguments ?? {}) as JsonObject
      return { patch: { params: { arguments: { word: `${String(word)}${letter}` } } } }
    }
    await using all = await setUp(
      { z: add('z'), a: add('a') },
      { [`${request}&name=f*`]: 'policy/z', [request]: 'policy/a' },
    )
    expect(await all.client.text('one__fine')).toBe('{"word":"za"}')
  })

  test('a parameter that is there twice is refused, and not joined with a comma to what nothing equals', () => {
    expect(() => parseHookKey('tools/call?name=a&name=b')).toThrowErrorMatchingInlineSnapshot(
      `[TypeError: Invalid hook key "tools/call?name=a&name=b": name is there twice; use "*" in one value, or a key of its own for each]`,
    )
  })
})

describe('4.2 where hooks run', () => {
  test('an answer that goes back to a server is known by the method that it answers', async () => {
    const policy = createPolicy({ see: () => undefined })
    const server = serveUpstream(
      answerTools({ ask: (_, context) => context.ask('roots/list', { a: 1 }) }),
    )
    await using gateway = createGateway({
      upstreams: { one: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'roots/list?direction=response': 'policy/see' }),
    })
    const client = await gateway.client({ answers: { 'roots/list': () => ({ roots: [] }) } })
    await client.call('one__ask')
    expect(policy.seen).toMatchObject([
      { point: 'roots/list', message: { params: { a: 1 }, result: { roots: [] } } },
    ])
  })

  test('a request that fails on its way is shown to hooks as the error that the caller gets', async () => {
    await using all = await setUp({ see: () => undefined }, { [response]: 'policy/see' })
    await all.client.text('one__fine')
    const near = all.server.near.at(-1)
    if (!near) throw new Error('There is no connection')
    near.send = () => Promise.reject(new Error('broken pipe'))
    expect(await all.client.text('one__fine')).toMatchInlineSnapshot(
      `"-32000 one/fine: broken pipe"`,
    )
    expect(all.seen.at(-1)?.message.error).toMatchObject({
      code: -32000,
      message: 'one/fine: broken pipe',
    })
  })

  test('a notification is not told to nobody because a hook crashed on it without a word', async () => {
    const policy = createPolicy({
      check: () => {
        throw new Error('crashed')
      },
    })
    const server = upstream()
    await using gateway = createGateway({
      upstreams: { one: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'notifications/message': 'policy/check' }),
    })
    const client = await gateway.client()
    await client.text('one__fine')
    await server.say({ method: 'notifications/message', params: { level: 'error', data: 'x' } })
    await settleUntil(() => gateway.logs.length > 1)
    expect(gateway.logs.join()).toContain('notifications/message was refused: hook')
  })
})

describe('4.3 what an answer means', () => {
  test('an answer takes no accept, reason or message over from the hook before', async () => {
    await using all = await setUp(
      {
        first: ({ message }) => ({
          accept: true,
          mutated: true,
          message,
          reason: 'from the first',
        }),
        second: () => ({ mutated: false }),
      },
      { [request]: ['policy/first', 'policy/second'] },
    )
    expect(await all.client.text('one__fine')).toMatch(
      /^-32004 .*policy\/second.*, which gave no reason$/,
    )
  })

  test('fields that a later hook leaves out keep the message’s values, and lists are not merged', async () => {
    await using all = await setUp(
      {
        first: () => ({ patch: { params: { arguments: { list: [1, 2, 3], kept: true } } } }),
        second: () => ({ patch: { params: { arguments: { list: [4] } } } }),
      },
      { [request]: ['policy/first', 'policy/second'] },
    )
    expect(await all.client.text('one__fine')).toBe('{"list":[4],"kept":true}')
  })

  test('what says nothing is no opinion, in the first place and in the last', async () => {
    await using all = await setUp(
      { first: () => undefined, second: () => text('All is well.'), third: () => ({}) },
      { [request]: ['policy/first', 'policy/second', 'policy/third'] },
    )
    expect(await all.client.text('one__fine')).toBe('{}')
  })

  test('after a refusal no other hook runs, and the caller reads one reason', async () => {
    await using all = await setUp(
      {
        first: () => ({ decision: 'block', reason: 'first' }),
        second: () => ({ decision: 'block', reason: 'second' }),
        after: () => undefined,
      },
      { [request]: ['policy/first', 'policy/second'], [response]: 'policy/after' },
    )
    const answer = await all.client.text('one__fine')
    expect(answer).toMatchInlineSnapshot(
      `"-32004 one/fine was refused: hook tools/call?server=one&direction=request policy/first (policy/first): first"`,
    )
    expect(all.seen).toHaveLength(1)
  })

  test('a hook cannot turn a request into another by its method or its id', async () => {
    await using all = await setUp(
      {
        check: ({ message }) => ({
          accept: true,
          mutated: true,
          message: { jsonrpc: '2.0', id: 99, ...message, method: 'resources/read' },
        }),
      },
      { [request]: 'policy/check' },
    )
    expect(await all.client.text('one__fine')).toMatch('tried to change the method')
    expect(all.server.received('resources/read')).toEqual([])
  })

  test('a hook that never answers does not hold a call for ever', async () => {
    const policy = createPolicy({ check: () => new Promise(() => {}) })
    await using gateway = createGateway({ builtIns: [policy.definition] })
    const hooks = toHooks({ [request]: 'policy/check' }, { timeout: 1000 }, gateway.clock)
    gateway.service.apply({ servers: [configure('one', upstream())], hooks })
    const client = await gateway.client()
    const call = client.text('one__fine')
    expect(await gateway.during(1100, call)).toMatch('failed: no answer within 1 s')
  })

  test('hooks that only look do not wait for each other', async () => {
    let running = 0
    let most = 0
    const watch = async () => {
      running += 1
      most = Math.max(most, running)
      await settle()
      running -= 1
    }
    await using all = await setUp(
      { a: watch, b: watch, c: watch },
      { [request]: ['!mutate:policy/a', '!mutate:policy/b', '!mutate:policy/c'] },
    )
    await all.client.text('one__fine')
    expect(most).toBe(3)
  })

  test('a hook that fails can be let pass, hook by hook', async () => {
    const crash = () => {
      throw new Error('crashed')
    }
    const policy = createPolicy({ check: crash })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ [request]: 'policy/check' }, { onError: 'allow' }),
    })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('{}')
  })
})

describe('4.4 the trace', () => {
  test('what hooks changed is known for a call that ended in an error, too', async () => {
    await using all = await setUp(
      { check: () => ({ patch: { params: { arguments: { a: 1 } } }, reason: 'why' }) },
      { [request]: 'policy/check' },
    )
    expect(await all.client.text('one__fail')).toBe('-32602 no such file')
    expect(all.gateway.events.at(-1)).toMatchObject({
      outcome: 'error',
      hooks: [{ reason: 'why', change: { patch: { params: { arguments: { a: 1 } } } } }],
    })
  })

  test("a hook's own calls have events of their own, below the call, and are not mixed with it", async () => {
    await using all = await setUp({ check: () => undefined }, { [request]: 'policy/check' })
    await all.client.text('one__fine')
    const [own, call] = all.gateway.events
    expect([own?.server, call?.server]).toEqual(['policy', 'one'])
    expect(own?.parent).toBe(call?.id)
    expect(call?.hooks).toHaveLength(1)
    expect(own?.hooks).toBeUndefined()
  })

  test('what hooks did is not in the output of a tool unless the configuration wants it there', async () => {
    await using all = await setUp(
      { check: () => ({ patch: { params: { arguments: { a: 1 } } } }) },
      { [request]: 'policy/check' },
    )
    expect(await all.client.call('one__fine')).toMatchObject(text('{"a":1}'))
  })
})

describe('10.1 what goes with connections', () => {
  test('13: a changed server’s connection is closed, and none is opened twice for many first uses', async () => {
    await using all = await setUp({ check: () => undefined }, { [request]: 'policy/check' })
    const calls = Array.from({ length: 10 }, () => all.client.text('one__fine'))
    await Promise.all(calls)
    expect(all.server.attempts).toBe(1)
    const after = upstream()
    all.gateway.service.apply({ servers: [configure('one', after, { identity: 'other' })] })
    await Promise.all(Array.from({ length: 10 }, () => all.client.text('one__fine')))
    await settle()
    expect([all.server.open, after.open, after.attempts]).toEqual([0, 1, 1])
  })

  test('15: progress arrives in its order, however long hooks look at each', async () => {
    const turns = [5, 0, 3, 1]
    const policy = createPolicy({
      async check() {
        for (let turn = turns.shift() ?? 0; turn > 0; turn--) await settle()
      },
    })
    const server = serveUpstream(
      answerTools({
        work(_, context) {
          for (const progress of [1, 2, 3, 4]) context.progress({ progress })
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
    const seen: number[] = []
    const onProgress = ({ progress }: { progress: number }) => seen.push(progress)
    const params = { name: 'one__work', arguments: {} }
    await client.session.request('tools/call', params, { onProgress })
    expect(seen).toEqual([1, 2, 3, 4])
  })

  test('24: a server’s ping, and what nobody knows, is answered while hooks look at everything', async () => {
    await using all = await setUp({ see: () => undefined }, { '*?server=one': 'policy/see' })
    await all.client.text('one__fine')
    await all.server.say({ id: 'a', method: 'ping' })
    await all.server.say({ id: 'b', method: 'x/unknown', params: {} })
    const answerTo = (id: string) => all.server.sent.find((each) => 'id' in each && each.id === id)
    await settleUntil(() => answerTo('b') !== undefined)
    expect(answerTo('a')).toMatchObject({ result: {} })
    expect(answerTo('b')).toMatchObject({ error: { code: -32601 } })
  })
})

test('a target that is not there is named, and denies', async () => {
  await using all = await setUp({ check: () => undefined }, { [request]: 'gone/check' })
  expect(await all.client.text('one__fine')).toMatchInlineSnapshot(
    `"-32004 one/fine was refused: hook tools/call?server=one&direction=request gone/check (gone/check) failed: Unknown server: gone"`,
  )
  expect(await errorOf(all.client.call('one__fine'))).toMatch('-32004')
})
