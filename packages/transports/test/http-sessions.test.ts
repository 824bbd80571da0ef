import { describe, expect, test } from 'vitest'
import {
  answer,
  event,
  json,
  openEvents,
  openHttpServer,
  progress,
  withHandshake,
} from './http-server.ts'
import { failure, failureOf, openHttp, openInitialized, until } from './support.ts'

describe('a lost session', () => {
  const lost = { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }

  test('fails requests so that they may be sent again, then closes and says why', async () => {
    await using server = await openHttpServer(
      withHandshake({ 'tools/call': (_, response) => json(response, lost, 404) }, 's-1'),
    )
    await using client = await openInitialized(server.url)
    const errors = await Promise.all([1, 2, 3].map(() => failureOf(client.request('tools/call'))))
    expect(errors.map((error) => error.code)).toEqual([
      'SESSION_LOST',
      'SESSION_LOST',
      'SESSION_LOST',
    ])
    expect(await client.closed).toBe('the server has forgotten the session')
    expect(server.all('DELETE')).toEqual([])
  })

  test('is told from an error that happens to come with 404', async () => {
    const unknown = { code: -32601, message: 'Method not found' }
    await using server = await openHttpServer(
      withHandshake(
        {
          unknown: ({ message: { id } }, response) =>
            json(response, { jsonrpc: '2.0', id, error: unknown }, 404),
          'tools/call': ({ message: { id } }, response) => json(response, { ...lost, id }, 404),
        },
        's-1',
      ),
    )
    await using client = await openInitialized(server.url)
    expect(await failureOf(client.request('unknown'))).toMatchObject({ number: -32601 })
    expect(await failureOf(client.request('tools/call'))).toMatchObject({ code: 'SESSION_LOST' })
  })

  test('is recognised behind a 400 that speaks of the session', async () => {
    const error = { code: -32000, message: 'Bad Request: No valid session ID provided' }
    await using server = await openHttpServer(
      withHandshake(
        { 'tools/call': (_, response) => json(response, { jsonrpc: '2.0', id: null, error }, 400) },
        's-1',
      ),
    )
    await using client = await openInitialized(server.url)
    expect(await failureOf(client.request('tools/call'))).toMatchObject({ code: 'SESSION_LOST' })
  })

  test('is not what 404 means without a session', async () => {
    await using server = await openHttpServer((_, response) => void response.writeHead(404).end())
    await using client = await openHttp(server.url)
    expect(await failureOf(client.request('initialize'))).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      cause: { status: 404 },
    })
  })

  test('is not what 404 to the first GET means', async () => {
    await using server = await openHttpServer(
      withHandshake({ GET: (_, response) => void response.writeHead(404).end() }, 's-1'),
    )
    await using client = await openInitialized(server.url)
    await until(() => server.all('GET').length === 1)
    expect(await client.request('echo', { alive: true })).toEqual({ alive: true })
  })
})

describe('a stream that is cut', () => {
  test('is resumed where the server gave ids, as often as that brings something new', async () => {
    let gets = 0
    await using server = await openHttpServer(
      withHandshake(
        {
          long: (_, response) => openEvents(response).end(event(progress, { id: 'p-0', retry: 1 })),
          GET(received, response) {
            if (received.headers['last-event-id'] === undefined)
              return void response.writeHead(405).end()
            gets += 1
            const id = server.all('long')[0]?.message.id
            const next = gets < 8 ? progress : answer(id, { done: true })
            openEvents(response).end(event(next, { id: `p-${gets}` }))
          },
        },
        's-1',
      ),
    )
    await using client = await openInitialized(server.url)
    expect(await client.request('long')).toEqual({ done: true })
    const id = server.all('long')[0]?.message.id
    expect(client.heard.map((one) => one.relatedTo)).toEqual(Array(8).fill(id))
    const resumed = server.all('GET').filter((get) => get.headers['last-event-id'])
    expect(resumed.map((get) => get.headers['last-event-id'])).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `p-${n}`),
    )
    expect(resumed[0]?.headers).toMatchObject({ 'mcp-session-id': 's-1' })
  })

  test('fails its request when resuming is refused, or brings nothing', async () => {
    let refuse = true
    await using server = await openHttpServer(
      withHandshake({
        long: (_, response) => openEvents(response).end(event(progress, { id: 'p-0', retry: 1 })),
        GET(_, response) {
          if (refuse) response.writeHead(400).end()
          else openEvents(response).end()
        },
      }),
    )
    await using client = await openHttp(server.url)
    expect(await failure(client.request('long'))).toMatchInlineSnapshot(
      `"long: the request was sent, but resuming the stream was refused with HTTP 400. It may have been carried out."`,
    )
    refuse = false
    expect(await failure(client.request('long'))).toMatchInlineSnapshot(
      `"long: the request was sent, but the stream ended without an answer, and resuming it 5 times brought nothing new. It may have been carried out."`,
    )
  })
})

describe('the stream for what the server says of its own accord', () => {
  test('is opened after the handshake, with session and revision', async () => {
    await using server = await openHttpServer(
      withHandshake(
        { GET: (_, response) => void openEvents(response).write(event(progress)) },
        's-1',
      ),
    )
    await using client = await openInitialized(server.url)
    await until(() => client.heard.length === 1)
    expect(client.heard[0]?.relatedTo).toBeUndefined()
    expect(server.all('GET')[0]?.headers).toMatchObject({
      'mcp-session-id': 's-1',
      'mcp-protocol-version': '2025-06-18',
    })
  })

  test('is not asked for again after 405', async () => {
    await using server = await openHttpServer(withHandshake({}))
    await using client = await openInitialized(server.url)
    await until(() => server.all('GET').length === 1)
    await client.request('echo')
    expect(server.all('GET').length).toBe(1)
  })

  test('is given up when it closes at once over and over', async () => {
    await using server = await openHttpServer(
      withHandshake({ GET: (_, response) => void openEvents(response).end('retry: 1\n\n') }),
    )
    await using client = await openInitialized(server.url)
    await until(() => client.logs.some((line) => line.text.startsWith('No longer listening')))
    expect(server.all('GET').length).toBe(6)
    expect(await client.request('echo', { alive: true })).toEqual({ alive: true })
  })

  test('is taken up where it was left', async () => {
    await using server = await openHttpServer(
      withHandshake({
        GET(received, response) {
          openEvents(response).write(
            event(progress, { id: `g-${server.all('GET').length}`, retry: 1 }),
          )
          if (received.headers['last-event-id'] === undefined) response.end()
        },
      }),
    )
    await using client = await openInitialized(server.url)
    await until(() => client.heard.length === 2)
    expect(server.all('GET')[1]?.headers['last-event-id']).toBe('g-1')
  })

  test('that is gone with its session closes the wire', async () => {
    await using server = await openHttpServer(
      withHandshake(
        {
          GET(_, response) {
            if (server.all('GET').length > 1) response.writeHead(404).end()
            else openEvents(response).end('retry: 1\n\n')
          },
        },
        's-1',
      ),
    )
    await using client = await openInitialized(server.url)
    expect(await client.closed).toBe('the server has forgotten the session')
  })
})

describe('order and cancelling', () => {
  test('nothing overtakes the end of the handshake', async () => {
    await using server = await openHttpServer(
      withHandshake({
        'notifications/initialized': (_, response) =>
          void setTimeout(() => response.writeHead(202).end(), 50),
      }),
    )
    await using client = await openInitialized(server.url)
    await client.request('echo')
    expect(server.received.map((one) => one.message.method).filter(Boolean)).toEqual([
      'initialize',
      'notifications/initialized',
      'echo',
    ])
  })

  test('a cancelled request is told to the server and no longer read', async () => {
    await using server = await openHttpServer(
      withHandshake({ hang: (_, response) => void openEvents(response) }),
    )
    await using client = await openHttp(server.url)
    const controller = new AbortController()
    const pending = failure(client.session.request('hang', {}, { signal: controller.signal }))
    await until(() => server.all('hang').length === 1)
    controller.abort(new Error('enough'))
    expect(await pending).toBe('hang was cancelled: enough')
    await until(() => server.all('notifications/cancelled').length === 1)
    await until(() => server.all('hang')[0]?.abandoned === true)
    expect(server.all('notifications/cancelled')[0]?.message.params).toMatchObject({
      requestId: server.all('hang')[0]?.message.id,
    })
    expect(client.errors).toEqual([])
  })
})

describe('closing', () => {
  test('ends the session at the server and every stream', async () => {
    await using server = await openHttpServer(
      withHandshake(
        {
          GET: (_, response) => void openEvents(response),
          hang: (_, response) => void openEvents(response),
        },
        's-1',
      ),
    )
    const client = await openInitialized(server.url)
    const pending = failure(client.request('hang'))
    await until(() => server.all('GET').length === 1 && server.all('hang').length === 1)
    await Promise.all([client.session.close(), client.wire.close()])
    expect(await pending).toContain('connection closed')
    expect(server.all('DELETE')[0]?.headers).toMatchObject({ 'mcp-session-id': 's-1' })
    expect(server.all('DELETE').length).toBe(1)
    await until(
      () => server.all('GET')[0]?.abandoned === true && server.all('hang')[0]?.abandoned === true,
    )
    expect(await failure(client.wire.send({ jsonrpc: '2.0', method: 'late' }))).toMatch(
      'Nothing was sent',
    )
  })

  test('waits for no answer to the goodbye longer than a moment', async () => {
    await using server = await openHttpServer(withHandshake({ DELETE: () => {} }, 's-1'))
    const client = await openInitialized(server.url)
    await client.session.close()
    expect(client.wire.closeReason).toBe('the connection was closed')
  })
})
