import { describe, expect, test } from 'vitest'
import {
  initialize,
  type JsonObject,
  type MessageHandler,
  openInProcess,
  type Progress,
  type RequestId,
} from '../../src/index.ts'
import { fromSdkServer, type SdkServer } from '../../src/sdk.ts'
import {
  build,
  type ConversationOptions,
  callText,
  errorOf,
  openConversation,
} from '../support/conversation.ts'
import {
  createLowLevelV1,
  createMcpServerV1,
  createMcpServerV2,
  type Inside,
} from '../support/sdk-servers.ts'
import { settle } from '../support/test-clock.ts'

const servers = [
  { sdk: 'an McpServer of SDK v1', create: createMcpServerV1 },
  { sdk: 'a low-level Server of SDK v1', create: createLowLevelV1 },
  { sdk: 'an McpServer of SDK v2', create: createMcpServerV2 },
]

const all = { elicitation: {}, sampling: {}, roots: {} }

/** A client that answers every question, and remembers which call each belonged to. */
function answering() {
  const questions: { method: string; relatedTo: RequestId | undefined; params: JsonObject }[] = []
  const handler: MessageHandler = {
    onMessage({ method, params = {} }, { relatedTo }) {
      questions.push({ method, relatedTo, params })
      if (method === 'elicitation/create') return { action: 'accept', content: {} }
      if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] }
      const content = { type: 'text', text: 'hi' }
      return { role: 'assistant', model: 'small', content }
    },
  }
  return { questions, handler }
}

async function connect(
  create: (inside?: Inside) => SdkServer,
  options: ConversationOptions & { inside?: Inside; capabilities?: JsonObject } = {},
) {
  const { inside, capabilities = all, ...rest } = options
  const handler = await build(fromSdkServer('foreign', () => create(inside)))
  const talk = await openConversation(handler, rest)
  await initialize(talk.client, { info: { name: 'c', version: '1' }, capabilities })
  return talk
}

describe.each(servers)('$sdk as one of our servers', ({ create }) => {
  test('shakes hands, lists and answers', async () => {
    await using talk = await connect(create)
    expect(talk.client.peer?.info).toMatchObject({ name: 'foreign', version: '1' })
    const { tools } = await talk.client.request('tools/list', {})
    expect((tools as unknown[]).length).toBe(6)
    expect(await callText(talk.client, 'fail').catch(String)).toContain('The tool fail failed')
    expect(await talk.client.request('ping', {})).toEqual({})
    expect(await errorOf(talk.client.request('ours/unknown', {}))).toBe('-32601 Method not found')
  })

  test('asks on the call that it is answering, with two in flight', async () => {
    const { questions, handler } = answering()
    await using talk = await connect(create, { client: handler })
    const ids = new Map<string, RequestId>()
    const ask = async (text: string) => {
      const params = { name: 'ask', arguments: { text } }
      const { content } = await talk.client.request('tools/call', params, {
        onPending: ({ id }) => ids.set(text, id),
      })
      return content
    }
    expect(await Promise.all([ask('one'), ask('two')])).toEqual([
      [{ type: 'text', text: 'one: accept' }],
      [{ type: 'text', text: 'two: accept' }],
    ])
    expect(questions.map(({ params, relatedTo }) => [params.message, relatedTo])).toEqual([
      ['one', ids.get('one')],
      ['two', ids.get('two')],
    ])
  })

  test('asks for samples and roots too', async () => {
    const { questions, handler } = answering()
    await using talk = await connect(create, { client: handler })
    expect(await callText(talk.client, 'sample')).toBe('small')
    expect(await callText(talk.client, 'roots')).toBe('1')
    expect(questions.map(({ method }) => method)).toEqual(['sampling/createMessage', 'roots/list'])
  })

  test('is refused at once what the client did not declare', async () => {
    await using talk = await connect(create, { capabilities: {} })
    const answer = await callText(talk.client, 'roots').catch(String)
    expect(answer).toMatch(/did not declare the capability "roots"|does not support .*roots/i)
  })

  test('reports progress and log lines on the call, none of either where nobody asked', async () => {
    const heard: unknown[] = []
    await using talk = await connect(create, {
      client: {
        onMessage: ({ method, params }, { relatedTo }) =>
          void heard.push([method, params?.data, relatedTo]),
      },
    })
    const seen: Progress[] = []
    let id: RequestId | undefined
    await talk.client.request(
      'tools/call',
      { name: 'report', arguments: { text: 'a line' } },
      {
        onProgress: (each) => seen.push(each),
        onPending: (pending) => {
          id = pending.id
        },
      },
    )
    expect(seen).toEqual([{ progress: 1 }, { progress: 2 }])
    expect(heard).toEqual([['notifications/message', 'a line', id]])
    talk.fromServer.length = 0
    await callText(talk.client, 'report')
    const methods = talk.fromServer.flatMap((each) => ('method' in each ? [each.method] : []))
    expect(methods).toEqual(['notifications/message'])
  })

  test('is told when a call is cancelled, and its answer goes nowhere', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    await using talk = await connect(create, { inside: { onAborted: resolve } })
    const controller = new AbortController()
    const params = { name: 'wait' }
    const answer = talk.client.request('tools/call', params, { signal: controller.signal })
    await settle()
    talk.fromServer.length = 0
    controller.abort(new Error('bored'))
    await expect(answer).rejects.toThrow('tools/call was cancelled: bored')
    expect(String(await promise)).toContain('bored')
    await settle()
    expect(talk.fromServer).toEqual([])
  })

  test('says of its own accord that its list changed', async () => {
    let server: ReturnType<typeof create> | undefined
    const heard: string[] = []
    await using talk = await connect(
      (inside) => {
        server = create(inside)
        return server
      },
      { client: { onMessage: ({ method }) => void heard.push(method) } },
    )
    if (server && 'sendToolListChanged' in server) await server.sendToolListChanged()
    expect(heard).toEqual(['notifications/tools/list_changed'])
    expect(talk.client.peer?.capabilities).toHaveProperty('tools')
  })

  test('ends when it is told to, and calls in flight fail', async () => {
    const closing = new AbortController()
    let closed = 0
    const definition = fromSdkServer('foreign', () => {
      const server = create()
      const inner = 'server' in server ? server.server : server
      inner.onclose = () => {
        closed += 1
      }
      return server
    })
    const session = openInProcess(await build(definition, closing.signal))
    await initialize(session, { info: { name: 'c', version: '1' }, capabilities: {} })
    const answer = session.request('tools/call', { name: 'wait' })
    await settle()
    closing.abort()
    expect(await errorOf(answer)).toContain('-32000 tools/call: connection closed')
    expect(await errorOf(session.request('tools/list', {}))).toContain('connection closed')
    expect(closed).toBe(1)
  })
})

test('a low-level server’s unknown fields, and its error’s number, text and data, come through', async () => {
  await using talk = await connect(createLowLevelV1)
  const { tools } = await talk.client.request('tools/list', {})
  expect((tools as JsonObject[])[0]).toMatchObject({ name: 'ask', ours: { kept: null } })
  expect(await talk.client.request('tools/call', { name: 'report' })).toHaveProperty('ours', {
    kept: null,
  })
  await expect(talk.client.request('tools/call', { name: 'refuse' })).rejects.toMatchObject({
    number: -32602,
    message: expect.stringContaining('Not like this'),
    data: { field: 'x' },
  })
})

test('a definition from an SDK server makes a new one for each session', async () => {
  let made = 0
  const definition = fromSdkServer(
    'foreign',
    () => {
      made += 1
      return createMcpServerV1()
    },
    { visibility: 'agents' },
  )
  await build(definition)
  await build(definition)
  expect([definition.name, definition.visibility, definition.instance, made]).toEqual([
    'foreign',
    'agents',
    'session',
    2,
  ])
})
