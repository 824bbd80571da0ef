import { defineServer, type JsonObject, type MessageContext, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import type { SamplingRequest } from '../src/index.ts'
import {
  createGate,
  createGateway,
  errorOf,
  type Gate,
  type TestClient,
} from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

const minute = 60_000

/** Asks its client what it is told to ask, and answers with the answer. */
function asking(more: { unrelated?: boolean } = {}) {
  const ask = async ({ arguments: args = {} }: JsonObject, context: MessageContext) => {
    const { method = 'elicitation/create', ...rest } = args as JsonObject
    const params = { message: 'Really?', requestedSchema: {}, ...rest }
    const answer = await (more.unrelated
      ? context.session.request(String(method), params, { timeouts: patient })
      : context.ask(String(method), params)
    ).catch((error: Error) => ({ error: error.message }))
    return { content: [], answer }
  }
  return serveUpstream(answerTools({ ask }))
}

const patient = {
  request: Number.POSITIVE_INFINITY,
  idle: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
}

const accept = (by: string) => ({
  'elicitation/create': ({ n }: JsonObject) => ({ action: 'accept', content: { by, n } }),
  'sampling/createMessage': () => ({ role: 'assistant', model: by, content: { type: 'text' } }),
  'roots/list': () => ({ roots: [{ uri: `file:///${by}` }] }),
})

/** Requests from the gateway, and the calls they came with. */
function questions(client: TestClient) {
  return client.messages.flatMap((message, index) =>
    'method' in message && 'id' in message
      ? [{ method: message.method, related: client.related[index] !== undefined }]
      : [],
  )
}

describe('a question', () => {
  test.each(['elicitation/create', 'sampling/createMessage', 'roots/list'])(
    'reaches the client whose call it belongs to, and its answer the server: %s',
    async (method) => {
      await using gateway = createGateway({ upstreams: { one: asking() } })
      const anna = await gateway.client({ answers: accept('anna') })
      const bert = await gateway.client({ answers: accept('bert') })
      const answers = await Promise.all(
        [anna, bert, anna, bert].map((client) => client.call('one__ask', { method })),
      )
      const texts = answers.map(({ answer }) => JSON.stringify(answer))
      for (const index of [0, 2]) expect(texts[index]).toContain('anna')
      for (const index of [1, 3]) expect(texts[index]).toContain('bert')
      for (const client of [anna, bert]) {
        expect(questions(client)).toEqual([
          { method, related: true },
          { method, related: true },
        ])
      }
    },
  )

  test('keeps every field both ways', async () => {
    const answers = {
      'elicitation/create': (params: JsonObject) => ({ action: 'accept', params, 'x-y': null }),
    }
    await using gateway = createGateway({ upstreams: { one: asking() } })
    const client = await gateway.client({ answers })
    const { answer } = await client.call('one__ask', {
      'x-z': false,
      requestedSchema: { $defs: {} },
    })
    expect(answer).toEqual({
      action: 'accept',
      params: { message: 'Really?', requestedSchema: { $defs: {} }, 'x-z': false },
      'x-y': null,
    })
  })

  test('that does not say which call it is for belongs to the only one in flight', async () => {
    await using gateway = createGateway({ upstreams: { one: asking({ unrelated: true }) } })
    const client = await gateway.client({ answers: accept('anna') })
    await client.call('one__ask')
    expect(questions(client)).toEqual([{ method: 'elicitation/create', related: true }])
  })

  test('that could be for several is asked of the client all the same', async () => {
    const gate = createGate<JsonObject>()
    await using gateway = createGateway({ upstreams: { one: asking({ unrelated: true }) } })
    const answers = { 'elicitation/create': () => gate.wait() }
    const client = await gateway.client({ answers })
    await client.names()
    const calls = [client.call('one__ask', { n: 1 }), client.call('one__ask', { n: 2 })]
    await settle()
    gate.open({ action: 'accept' })
    expect((await Promise.all(calls)).map(({ answer }) => answer)).toEqual([
      { action: 'accept' },
      { action: 'accept' },
    ])
    expect(questions(client).map(({ related }) => related)).toEqual([true, false])
  })

  test('outside any call is asked of the client whose connection it is', async () => {
    const server = asking()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client({ answers: accept('anna') })
    await client.call('one__ask')
    await server.say({ id: 7, method: 'roots/list' })
    await settle()
    expect(questions(client).at(-1)).toEqual({ method: 'roots/list', related: false })
    expect(server.sent.at(-1)).toMatchObject({
      id: 7,
      result: { roots: [{ uri: 'file:///anna' }] },
    })
  })

  test('that the client cannot answer is refused at once, and the call goes on', async () => {
    await using gateway = createGateway({ upstreams: { one: asking({ unrelated: true }) } })
    const client = await gateway.client({ capabilities: { elicitation: {} } })
    const texts: unknown[] = []
    for (const args of [
      { method: 'sampling/createMessage' },
      { method: 'roots/list' },
      { mode: 'url', url: 'https://login' },
    ]) {
      texts.push((await client.call('one__ask', args)).answer)
    }
    expect(texts).toMatchInlineSnapshot(`
      [
        {
          "error": "Method not found: sampling/createMessage. The client did not declare the capability "sampling".",
        },
        {
          "error": "Method not found: roots/list. The client did not declare the capability "roots".",
        },
        {
          "error": "Method not found: elicitation/create. The client did not declare the capability "elicitation.url".",
        },
      ]
    `)
    expect(questions(client)).toEqual([])
  })

  test('over a shared connection is refused at once: nobody knows whose screen it is', async () => {
    const server = asking({ unrelated: true })
    await using gateway = createGateway({ upstreams: { one: [server, { sharing: 'process' }] } })
    const client = await gateway.client({ answers: accept('anna') })
    expect((await client.call('one__ask')).answer).toMatchInlineSnapshot(`
      {
        "error": "Method not found: elicitation/create. The connection to "one" is not tied to one client that could answer.",
      }
    `)
    expect(questions(client)).toEqual([])
  })

  test('in work that nobody watches is refused at once', async () => {
    await using gateway = createGateway({ upstreams: { one: asking({ unrelated: true }) } })
    const result = await gateway.service.call({ server: 'one', tool: 'ask' }, {})
    expect(result.answer).toMatchInlineSnapshot(`
      {
        "error": "Method not found: elicitation/create. This work runs without a person or client that could answer.",
      }
    `)
  })

  test('whose answer is an error is answered with that error', async () => {
    const answers = {
      'elicitation/create': () => {
        throw new Error('the window is gone')
      },
    }
    await using gateway = createGateway({ upstreams: { one: asking() } })
    const client = await gateway.client({ answers })
    expect((await client.call('one__ask')).answer).toEqual({ error: 'Internal error' })
  })
})

describe('while a question is open', () => {
  const short = { request: 1000, idle: 1000, total: 2000 }

  async function openQuestion(
    gate: Gate<JsonObject>,
    unrelated = false,
    answers = { 'elicitation/create': () => gate.wait() },
  ) {
    const gateway = createGateway({
      upstreams: { one: [asking({ unrelated }), { timeouts: short }] },
    })
    const client = await gateway.client({ answers })
    await client.names()
    return { gateway, client }
  }

  test.each([false, true])('the call’s time stands still (unrelated: %s)', async (unrelated) => {
    const gate = createGate<JsonObject>()
    const { gateway, client } = await openQuestion(gate, unrelated)
    await using _ = gateway
    const calls = [client.call('one__ask'), ...(unrelated ? [client.call('one__ask')] : [])]
    await settle()
    await gateway.clock.advance(30 * minute)
    gate.open({ action: 'accept' })
    expect((await Promise.all(calls))[0]?.answer).toEqual({ action: 'accept' })
  })

  test('the time of every call above it stands still, too', async () => {
    const outer = defineServer({
      name: 'outer',
      version: '1',
      tools: {
        go: tool({
          description: 'Calls another.',
          async run(_, { caller }) {
            const result = await caller.call({ server: 'one', tool: 'ask' }, {})
            return JSON.stringify(result.answer)
          },
        }),
      },
    })
    const gate = createGate<JsonObject>()
    await using gateway = createGateway({
      builtIns: [outer],
      upstreams: { one: [asking(), { timeouts: short }] },
    })
    const client = await gateway.client({ answers: { 'elicitation/create': () => gate.wait() } })
    const call = client.text('outer__go')
    await settle()
    expect(questions(client)).toEqual([{ method: 'elicitation/create', related: true }])
    await gateway.clock.advance(30 * minute)
    gate.open({ action: 'accept' })
    expect(await call).toBe('{"action":"accept"}')
  })

  test('time goes on when it is answered', async () => {
    const gate = createGate<JsonObject>()
    const never = createGate()
    const server = serveUpstream(
      answerTools({
        async ask(_, context) {
          await context.ask('elicitation/create', {})
          await never.wait()
        },
      }),
    )
    await using gateway = createGateway({ upstreams: { one: [server, { timeouts: short }] } })
    const client = await gateway.client({ answers: { 'elicitation/create': () => gate.wait() } })
    await client.names()
    const call = client.text('one__ask')
    await settle()
    await gateway.clock.advance(30 * minute)
    gate.open({ action: 'accept' })
    await settle()
    await gateway.clock.advance(1100)
    expect(await call).toBe('-32001 one/ask timed out: no sign of life for 1 s')
  })
})

describe('a question becomes void', () => {
  function open() {
    const gate = createGate<JsonObject>()
    const server = asking()
    const gateway = createGateway({ upstreams: { one: server } })
    return { gate, server, gateway, answers: { 'elicitation/create': () => gate.wait() } }
  }
  const cancelled = (client: TestClient) =>
    client.received('notifications/cancelled').map(({ requestId }) => requestId)
  const asked = (client: TestClient) =>
    client.messages.flatMap((message) =>
      'method' in message && 'id' in message ? [message.id] : [],
    )

  test('when the server that asked dies', async () => {
    const { gateway, server, answers } = open()
    await using _ = gateway
    const client = await gateway.client({ answers })
    const call = client.text('one__ask')
    await settle()
    await server.crash('killed')
    expect(await call).toBe('-32000 one/ask: connection closed: killed')
    await settle()
    expect(asked(client)).toHaveLength(1)
    expect(cancelled(client)).toEqual(asked(client))
  })

  test('when the server takes it back', async () => {
    const gate = createGate<JsonObject>()
    const server = serveUpstream(
      answerTools({
        async ask(_, context) {
          const abort = new AbortController()
          const answer = errorOf(context.ask('elicitation/create', {}, abort.signal))
          await gate.wait()
          abort.abort('changed my mind')
          return text(await answer)
        },
      }),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    const never = createGate<JsonObject>()
    const client = await gateway.client({ answers: { 'elicitation/create': () => never.wait() } })
    const call = client.text('one__ask')
    await settle()
    gate.open({})
    expect(await call).toContain('changed my mind')
    await settle()
    expect(cancelled(client)).toEqual(asked(client))
  })

  test('when the client takes its call back', async () => {
    const { gateway, server, answers } = open()
    await using _ = gateway
    const client = await gateway.client({ answers })
    const abort = new AbortController()
    const params = { name: 'one__ask' }
    const call = errorOf(client.session.request('tools/call', params, { signal: abort.signal }))
    await settle()
    abort.abort('enough')
    await call
    await settle()
    expect(cancelled(client)).toEqual(asked(client))
    expect(server.received('notifications/cancelled')).toHaveLength(1)
  })

  test('when the client leaves', async () => {
    const { gateway, server, answers } = open()
    await using _ = gateway
    const client = await gateway.client({ answers })
    const call = errorOf(client.call('one__ask'))
    await settle()
    await client.session.close()
    await call
    await settle()
    expect(server.open).toBe(0)
    expect(gateway.events).toMatchObject([{ outcome: 'cancelled' }])
  })
})

test('a change of the client’s roots reaches its servers, and nobody else’s', async () => {
  const own = asking()
  const shared = asking()
  await using gateway = createGateway({
    upstreams: { own, shared: [shared, { sharing: 'process' }] },
  })
  const client = await gateway.client({ answers: accept('anna') })
  await client.call('own__ask')
  await client.call('shared__ask')
  client.session.notify('notifications/roots/list_changed')
  expect(own.received('notifications/roots/list_changed')).toEqual([{}])
  expect(shared.received('notifications/roots/list_changed')).toEqual([])
})

describe('what a server asks a model', () => {
  const model = defineServer({
    name: 'model',
    version: '1',
    tools: {
      answer: tool({
        description: 'Answers.',
        run: (_, { call }) => `${call.origin.kind} at depth ${call.depth}`,
      }),
    },
  })

  test.each([
    { how: 'in its call', unrelated: false, expected: 'client at depth 1' },
    { how: 'outside any call', unrelated: true, expected: 'client at depth 1' },
  ])('is answered here, below what it is asked in: $how', async ({ unrelated, expected }) => {
    const one = asking({ unrelated })
    await using gateway = createGateway({ upstreams: { one } })
    const asked: SamplingRequest[] = []
    gateway.service.apply({
      servers: [configure('one', one)],
      builtIn: [model],
      async sample(request) {
        asked.push(request)
        const { content } = await request.caller.call({ server: 'model', tool: 'answer' }, {})
        return { role: 'assistant', model: 'ours', content: content[0] ?? {} }
      },
    })
    const able = await gateway.client({ answers: accept('anna') })
    const unable = await gateway.client()
    for (const client of [able, unable]) {
      const { answer } = await client.call('one__ask', { method: 'sampling/createMessage', a: 1 })
      expect(answer).toMatchObject({ model: 'ours', content: { text: expected } })
      expect(questions(client)).toEqual([])
    }
    expect(asked).toMatchObject(Array(2).fill({ server: 'one', params: { a: 1 } }))
    const offered = one.received('initialize').map(({ capabilities }) => capabilities)
    expect(offered).toEqual([expect.objectContaining({ sampling: {} }), { sampling: {} }])
  })
})
