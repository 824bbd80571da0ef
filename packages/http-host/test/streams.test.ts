import type { MessageContext, Session } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createTestHost, json, settle, TestClient, type Tool } from './test-client.ts'

const result = { content: [{ type: 'text', text: 'done' }] }

/** A tool that says something first. */
const talk: Tool = (context) => {
  context.progress({ progress: 1, total: 2 })
  context.notify('notifications/message', { level: 'info', data: 'half way' })
  return result
}

/** Gives a test the session that a call of `meet` came in on. */
function meeting(): { meet: Tool; session: () => Session } {
  let met: Session | undefined
  return {
    meet(context: MessageContext) {
      met = context.session
      return result
    },
    session() {
      if (!met) throw new Error('Call "meet" first')
      return met
    },
  }
}

test('what is said before the answer turns the answer into a stream', async () => {
  const { host } = createTestHost({ talk })
  const client = await TestClient.open(host)

  const response = await client.call('talk')

  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  expect(await response.text()).toMatchInlineSnapshot(`
    "id: 1-0
    retry: 1000
    data: 

    event: message
    id: 1-1
    data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"total":2,"progressToken":"token-1"}}

    event: message
    id: 1-2
    data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half way"}}

    event: message
    id: 1-3
    data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}

    "
  `)
})

test('clients of older revisions get no event without data', async () => {
  const { host } = createTestHost({ talk })
  const client = await TestClient.open(host, { version: '2025-06-18' })

  const [first, second] = await new EventReader(await client.call('talk')).rest()

  expect(first).toEqual({ comment: 'stream' })
  expect(second).toMatchObject({ event: 'message', id: '1-1' })
})

test('without events to replay there are no event ids', async () => {
  const { host } = createTestHost({ talk }, { events: false })
  const client = await TestClient.open(host)

  const blocks = await new EventReader(await client.call('talk')).rest()

  expect(blocks.map(({ id, event, comment }) => [id, event, comment])).toEqual([
    [undefined, undefined, 'stream'],
    [undefined, 'message', undefined],
    [undefined, 'message', undefined],
    [undefined, 'message', undefined],
  ])
})

test('the stream begins with a byte of the body at once, however late the first message is', async () => {
  const { host } = createTestHost()
  const client = await TestClient.open(host)

  const reader = new EventReader(await client.listen())

  expect(await reader.next()).toEqual({ id: '0-0', retry: '1000', data: '' })
})

test('a question travels on the stream of the call it belongs to, and its answer comes back', async () => {
  const { host } = createTestHost({
    ask: async (context) => ({
      answer: await context.ask('elicitation/create', { message: 'Sure?', requestedSchema: {} }),
    }),
  })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('ask'))

  const question = await reader.message()
  expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } })
  const accepted = await client.post({
    jsonrpc: '2.0',
    id: question?.id,
    result: { action: 'accept', content: {} },
  })

  expect(accepted.status).toBe(202)
  expect(await reader.message()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { answer: { action: 'accept', content: {} } },
  })
  expect(await reader.next()).toBeUndefined()
})

test('what a session says about a call goes to the stream of that call', async () => {
  const { host } = createTestHost({
    related: async ({ session }) => {
      session.notify('notifications/message', { level: 'info' }, { relatedTo: 1 })
      return { roots: await session.request('roots/list', {}, { relatedTo: 1 }) }
    },
  })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('related'))

  expect(await reader.message()).toMatchObject({ method: 'notifications/message' })
  const question = await reader.message()
  await client.post({ jsonrpc: '2.0', id: question?.id, result: { roots: [] } })
  expect(await reader.message()).toMatchObject({ id: 1, result: { roots: { roots: [] } } })
})

test('two requests in flight with the same id each get their own answer on their own exchange', async () => {
  const { host } = createTestHost({
    echo: async (context, { arguments: args }) => {
      await new Promise((resolve) => setImmediate(resolve))
      context.notify('notifications/message', { data: args })
      return { args }
    },
  })
  const client = await TestClient.open(host)

  const readers = await Promise.all(
    ['a', 'b', 'c'].map(async (text) => new EventReader(await client.call('echo', { text }, 1))),
  )

  for (const [index, reader] of readers.entries()) {
    const text = ['a', 'b', 'c'][index]
    expect(await reader.message()).toMatchObject({ params: { data: { text } } })
    expect(await reader.message()).toMatchObject({ id: 1, result: { args: { text } } })
  }
})

test('a cancelled call gets no answer, and its exchange ends', async () => {
  const reasons: unknown[] = []
  const { host } = createTestHost({
    hang: (context, { arguments: args }) => {
      if ((args as { talk?: boolean }).talk) context.progress({ progress: 1 })
      context.cancellation.listen({ onCancel: (reason) => reasons.push(reason) })
      return new Promise(() => {})
    },
  })
  const client = await TestClient.open(host)
  const streaming = new EventReader(await client.call('hang', { talk: true }, 1))
  const silent = client.call('hang', {}, 2)
  await settle()

  for (const requestId of [1, 2]) {
    const params = { requestId, reason: 'changed my mind' }
    await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  }

  expect(reasons).toEqual(['changed my mind', 'changed my mind'])
  expect((await streaming.rest()).filter((block) => block.data?.includes('"id"'))).toEqual([])
  expect(await new EventReader(await silent).rest()).toEqual([{ comment: 'cancelled' }])
})

test('a question that is taken back is cancelled on the stream it was asked on', async () => {
  const give = Promise.withResolvers<void>()
  const { host } = createTestHost({
    impatient: async (context) => {
      const stop = new AbortController()
      const asked = context.session.request(
        'elicitation/create',
        {},
        { relatedTo: 1, signal: stop.signal },
      )
      await give.promise
      stop.abort(new Error('too late'))
      await asked.catch(() => {})
      return result
    },
  })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('impatient'))
  const question = await reader.message()

  give.resolve()

  expect(await reader.message()).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: question?.id },
  })
  expect(await reader.message()).toMatchObject({ id: 1, result })
})

test('what belongs to no call goes to the listening stream', async () => {
  const { meet, session } = meeting()
  const { host } = createTestHost({ meet })
  const client = await TestClient.open(host)
  await client.call('meet')
  const reader = new EventReader(await client.listen())

  session().notify('notifications/tools/list_changed')
  const asked = session().request('roots/list', {})

  expect(await reader.message()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
  })
  const question = await reader.message()
  await client.post({ jsonrpc: '2.0', id: question?.id, result: { roots: [] } })
  expect(await asked).toEqual({ roots: [] })
})

test('the newest listener wins, and the older one is ended', async () => {
  const { meet, session } = meeting()
  const { host } = createTestHost({ meet })
  const client = await TestClient.open(host)
  await client.call('meet')
  const older = new EventReader(await client.listen())
  await older.next()
  const newer = new EventReader(await client.listen())

  session().notify('notifications/prompts/list_changed')

  expect(await older.next()).toBeUndefined()
  expect(await newer.message()).toMatchObject({ method: 'notifications/prompts/list_changed' })
})

test('what an older listener did not take goes to the newer one', async () => {
  const { meet, session } = meeting()
  const { host } = createTestHost({ meet }, { events: false })
  const client = await TestClient.open(host)
  await client.call('meet')
  const older = await client.listen()
  const asked = session().request('roots/list', {})

  const newer = new EventReader(await client.listen())
  const question = await newer.message()
  await client.post({ jsonrpc: '2.0', id: question?.id, result: { roots: [] } })

  expect(await asked).toEqual({ roots: [] })
  expect(await older.text()).toBe(': stream\n\n')
})

test('without a listener changes wait, each once, and a question fails at once', async () => {
  const { meet, session } = meeting()
  const { host } = createTestHost({ meet })
  const client = await TestClient.open(host)
  await client.call('meet')

  for (let n = 0; n < 3; n += 1) {
    session().notify('notifications/tools/list_changed')
    session().notify('notifications/resources/updated', { uri: `x:${n % 2}` })
    session().notify('notifications/message', { level: 'info', data: 'nobody hears this' })
  }
  await expect(session().request('roots/list', {})).rejects.toThrowErrorMatchingInlineSnapshot(
    `[ProtocolError: roots/list: roots/list could not be sent: it belongs to no call, and the client has no stream open to be asked on. Ask during one of its calls, or have the client open one (GET).]`,
  )
  const reader = new EventReader(await client.listen())
  session().notify('notifications/message', { level: 'info', data: 'the end' })

  const heard = []
  for (let n = 0; n < 4; n += 1) heard.push(await reader.message())
  expect(heard.map((message) => [message?.method, message?.params])).toEqual([
    ['notifications/tools/list_changed', undefined],
    ['notifications/resources/updated', { uri: 'x:0' }],
    ['notifications/resources/updated', { uri: 'x:1' }],
    ['notifications/message', { level: 'info', data: 'the end' }],
  ])
})

test('changes that wait for a slow reader are told once; everything else in full and in order', async () => {
  const { meet, session } = meeting()
  const { host } = createTestHost({ meet })
  const client = await TestClient.open(host)
  await client.call('meet')
  const response = await client.listen()

  for (let n = 0; n < 100; n += 1) {
    session().notify('notifications/tools/list_changed')
    session().notify('notifications/message', { level: 'info', data: n })
  }

  const reader = new EventReader(response)
  const methods = []
  for (let n = 0; n < 101; n += 1) methods.push((await reader.message())?.method)
  expect(methods.filter((method) => method === 'notifications/tools/list_changed')).toHaveLength(1)
  expect(methods.filter((method) => method === 'notifications/message')).toHaveLength(100)
})

test('a call that opens a session may stream too, and the session is there with its first byte', async () => {
  const { host } = createTestHost(
    {},
    {
      route: () => ({
        onMessage(message, context) {
          if (message.method !== 'initialize') return {}
          context.notify('notifications/message', { level: 'info', data: 'starting' })
          return { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} }
        },
      }),
    },
  )
  const client = await TestClient.open(host)

  expect(host.sessions.count).toBe(1)
  expect(await json(await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' }))).toMatchObject({
    result: {},
  })
})
