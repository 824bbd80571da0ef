import type { MessageContext, Principal } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import {
  createHandler,
  createTestHost,
  initializeMessage,
  json,
  send,
  settle,
  TestClient,
} from './test-client.ts'

const echo = { echo: (_: MessageContext, params: object) => ({ content: [], params }) }

test('a handshake opens a session with an id of 128 random bits in visible ASCII', async () => {
  const { host } = createTestHost()
  const response = await send(host, 'POST', {}, initializeMessage())

  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('mcp-session-id')).toMatch(/^[\da-f]{32}$/)
  expect(await json(response)).toEqual({
    jsonrpc: '2.0',
    id: 'init',
    result: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'handmade', version: '1' },
    },
  })
  expect(host.sessions.count).toBe(1)
})

test('a call in a session is answered with one JSON object, its id kept by type', async () => {
  const { host } = createTestHost(echo)
  const client = await TestClient.open(host)

  const response = await client.call('echo', { a: 1 }, '1')

  expect(response.status).toBe(200)
  expect(await json(response)).toMatchObject({ id: '1', result: { content: [] } })
  expect(await json(await client.call('echo', {}, 0))).toMatchObject({ id: 0 })
})

test('an error of a request in a session is HTTP 200 with the error in the body', async () => {
  const { host } = createTestHost()
  const client = await TestClient.open(host)

  const response = await client.post({ jsonrpc: '2.0', id: 7, method: 'no/such' })

  expect(response.status).toBe(200)
  expect(await json(response)).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: { code: -32601, message: 'Method not found: no/such' },
  })
})

test('a failure that is not meant for the client becomes an internal error, and is reported', async () => {
  const { host, errors } = createTestHost({
    broken: () => {
      throw new Error('the password is swordfish')
    },
    unwritable: () => ({ content: [], value: 1n }),
  })
  const client = await TestClient.open(host)

  for (const name of ['broken', 'unwritable']) {
    expect(await json(await client.call(name))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: 'Internal error' },
    })
  }
  expect(errors.length).toBeGreaterThanOrEqual(2)
})

test('notifications and answers are accepted with 202 and no body', async () => {
  const { host } = createTestHost()
  const client = await TestClient.open(host)

  const initialized = await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const answer = await client.post({ jsonrpc: '2.0', id: 99, result: {} })

  expect([initialized.status, await initialized.text()]).toEqual([202, ''])
  expect(answer.status).toBe(202)
})

test('a handshake that fails leaves nothing behind', async () => {
  const { host, clock } = createTestHost(
    {},
    {
      route: () => ({
        onMessage: async () => {
          throw new Error('no')
        },
      }),
    },
  )
  const response = await send(host, 'POST', {}, initializeMessage())

  expect(response.status).toBe(200)
  expect(response.headers.get('mcp-session-id')).toBeNull()
  expect(await json(response)).toMatchObject({ error: { code: -32603 } })
  expect(host.sessions.count).toBe(0)
  clock.advance(24 * 3_600_000)
  expect(clock.timers).toBe(0)
})

test('a request without a session id is 400, one with an unknown id is 404', async () => {
  const { host } = createTestHost(echo)
  const call = { jsonrpc: '2.0', id: 5, method: 'tools/list' }

  for (const method of ['GET', 'DELETE']) {
    expect((await send(host, method)).status).toBe(400)
    expect((await send(host, method, { 'mcp-session-id': 'gone' })).status).toBe(404)
  }
  const missing = await send(host, 'POST', {}, call)
  const unknown = await send(host, 'POST', { 'mcp-session-id': 'gone' }, call)

  expect(missing.status).toBe(400)
  expect(await json(missing)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": -32600,
        "message": "Expected the header Mcp-Session-Id, received none. Begin with "initialize", and send the id that its answer carries with every request.",
      },
      "id": 5,
      "jsonrpc": "2.0",
    }
  `)
  expect(unknown.status).toBe(404)
  expect(await json(unknown)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": -32001,
        "message": "Session not found: it has ended or expired, or was never there. Begin a new one: send "initialize" without the header Mcp-Session-Id.",
      },
      "id": 5,
      "jsonrpc": "2.0",
    }
  `)
})

test('DELETE ends a session once, and is 404 after', async () => {
  let ended: unknown
  const { host } = createTestHost({
    watch: ({ session }) => {
      session.ending.listen({ onCancel: (reason) => (ended = reason) })
      return {}
    },
  })
  const client = await TestClient.open(host)
  await client.call('watch')

  expect((await client.end()).status).toBe(204)
  expect(ended).toBe('its client ended it')
  expect(host.sessions.count).toBe(0)
  expect((await client.end()).status).toBe(404)
  expect((await client.call('watch')).status).toBe(404)
})

test('DELETE answers what is under way with an error instead of leaving it hanging', async () => {
  const { host } = createTestHost({ hang: () => new Promise(() => {}) })
  const client = await TestClient.open(host)
  const pending = client.call('hang')
  await settle()

  await client.end()

  expect(await json(await pending)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32000,
      message: 'The session ended before the answer came: its client ended it',
    },
  })
})

test('a session is bound to its principal and its path: others find nothing there', async () => {
  const principals: Record<string, Principal> = {
    ada: { id: 'ada', issuer: 'a', scopes: [] },
    grace: { id: 'grace', issuer: 'a', scopes: [] },
    impostor: { id: 'ada', issuer: 'b', scopes: [] },
    'ada again': { id: 'ada', issuer: 'a', scopes: ['more'] },
  }
  const handler = createHandler({ who: ({ principal }) => ({ scopes: principal.scopes }) })
  const { host } = createTestHost(
    {},
    {
      route: () => handler,
      authenticate: (request) => principals[request.header('x-user') ?? ''],
    },
  )
  const client = await TestClient.open(host, { headers: { 'x-user': 'ada' } })
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'who', arguments: {} },
  }

  for (const user of ['grace', 'impostor']) {
    expect((await client.post(call, { 'x-user': user })).status).toBe(404)
    expect((await client.listen({ 'x-user': user })).status).toBe(404)
    expect((await client.end({ 'x-user': user })).status).toBe(404)
  }
  const headers = { 'x-user': 'ada', 'mcp-session-id': client.session }
  expect((await send(host, 'POST', headers, call, '/mcp/s/other')).status).toBe(404)
  expect(await json(await client.post(call, { 'x-user': 'ada again' }))).toMatchObject({
    result: { scopes: ['more'] },
  })
})

test('what is not served is 404, with or without a session', async () => {
  const { host } = createTestHost()
  const initialize = await send(host, 'POST', {}, initializeMessage(), '/mcp/s/nothing')
  const list = await send(host, 'POST', {}, { jsonrpc: '2.0', id: 1, method: 'ping' }, '/mcp/x')

  expect(initialize.status).toBe(404)
  expect(await json(initialize)).toMatchObject({
    error: { message: 'Nothing is served at "/mcp/s/nothing".' },
  })
  expect(list.status).toBe(404)
  expect((await send(host, 'GET', {}, undefined, '/elsewhere')).status).toBe(404)
})

test('a second handshake in a session is refused, one with a stale id begins a new session', async () => {
  const { host } = createTestHost()
  const client = await TestClient.open(host)

  expect((await client.post(initializeMessage())).status).toBe(400)
  const stale = await send(host, 'POST', { 'mcp-session-id': 'stale' }, initializeMessage())
  expect(stale.status).toBe(200)
  expect(host.sessions.count).toBe(2)
})

test('a session expires when no request came for its idle time, and each request starts it anew', async () => {
  const { host, clock } = createTestHost(echo, { sessions: { idleTimeout: 60_000 } })
  const client = await TestClient.open(host)
  clock.advance(59_000)
  await client.call('echo')
  clock.advance(59_000)
  await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  clock.advance(59_000)
  expect(host.sessions.count).toBe(1)

  clock.advance(1_000)

  expect(host.sessions.count).toBe(0)
  expect((await client.call('echo')).status).toBe(404)
  expect(clock.timers).toBe(0)
})

test('a call under way or an open stream keeps a session, however long', async () => {
  const finish = Promise.withResolvers<object>()
  const { host, clock } = createTestHost(
    { slow: () => finish.promise },
    { sessions: { idleTimeout: 60_000 } },
  )
  const caller = await TestClient.open(host)
  const listener = await TestClient.open(host)
  const pending = caller.call('slow')
  const stream = await listener.listen()
  await settle()

  clock.advance(3_600_000)
  expect(host.sessions.count).toBe(2)

  await stream.body?.cancel()
  finish.resolve({})
  await (await pending).body?.cancel()
  await settle()
  clock.advance(60_000)
  expect(host.sessions.count).toBe(0)
})

test('beyond the limit the session that was idle for longest goes, and never an active one', async () => {
  const { host, clock } = createTestHost(
    { ...echo, hang: () => new Promise(() => {}) },
    { sessions: { max: 3 } },
  )
  const active = await TestClient.open(host)
  const pending = active.call('hang')
  clock.advance(1_000)
  const first = await TestClient.open(host)
  clock.advance(1_000)
  const second = await TestClient.open(host)
  clock.advance(1_000)
  await first.call('echo')

  const third = await TestClient.open(host)

  expect(host.sessions.count).toBe(3)
  expect((await second.call('echo')).status).toBe(404)
  expect((await first.call('echo')).status).toBe(200)
  for (const client of [first, third]) void client.call('hang')
  await settle()
  const refused = await send(host, 'POST', {}, initializeMessage())
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await json(refused)).toMatchObject({ id: 'init' })
  await active.end()
  await pending
})

test('an evicted or expired session tells its handler, which frees what hangs off it', async () => {
  const reasons: unknown[] = []
  const { host, clock } = createTestHost(
    {
      watch: ({ session }) => {
        session.ending.listen({ onCancel: (reason) => reasons.push(reason) })
        return {}
      },
    },
    { sessions: { max: 1, idleTimeout: 60_000 } },
  )
  for (let n = 0; n < 2; n += 1) await (await TestClient.open(host)).call('watch')
  clock.advance(60_000)

  expect(reasons).toEqual([
    'evicted: too many sessions, and this one was idle for longest',
    'expired: no request came for too long',
  ])
})

test('sessions are listed without the secret of their clients', async () => {
  const { host, clock } = createTestHost()
  const client = await TestClient.open(host)

  const [info] = host.sessions.list()

  expect(info).toEqual({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    path: '/mcp',
    principal: { id: 'local', scopes: [] },
    client: { name: 'test-client', version: '1' },
    protocolVersion: '2025-11-25',
    since: clock.now(),
    inFlight: 0,
  })
  expect(JSON.stringify(info)).not.toContain(client.session)
})

test('many clients with many calls each get their own answers', async () => {
  const { host } = createTestHost({
    echo: async (_, params) => {
      await new Promise((resolve) => setImmediate(resolve))
      return { params }
    },
  })
  const clients = await Promise.all(Array.from({ length: 10 }, () => TestClient.open(host)))

  const answers = await Promise.all(
    clients.flatMap((client, c) =>
      Array.from({ length: 20 }, async (_, n) => {
        const answer = await json(await client.call('echo', { c, n }, n))
        return [
          answer.id,
          (answer.result as { params: { arguments: object } }).params.arguments,
          n,
          c,
        ]
      }),
    ),
  )

  for (const [id, args, n, c] of answers) {
    expect(id).toBe(n)
    expect(args).toEqual({ c, n })
  }
})
