import { AuthNeededError, initialize } from '@mobius-mcp/protocol'
import type { FetchLayer } from '@mobius-mcp/transports'
import { describe, expect, test } from 'vitest'
import { answer, json, openEvents, openHttpServer, withHandshake } from './http-server.ts'
import { failureOf, openHttp, openTestSession, until } from './support.ts'

const info = { info: { name: 'test', version: '1' }, capabilities: {} }

/** Shows a token at every request, and remembers where. */
function createLayer(origins: string[]): FetchLayer {
  return (next) => async (url, init) => {
    origins.push(new URL(url).origin)
    const headers = new Headers(init?.headers)
    headers.set('authorization', 'Bearer from-the-layer')
    return await next(url, { ...init, headers })
  }
}

const needed = new AuthNeededError('notes', {
  id: '1',
  url: 'https://as.example/authorize',
  reason: 'nobody has signed in',
  stepUp: false,
  done: Promise.resolve(false),
})

const refuse: FetchLayer = () => async () => {
  throw needed
}

describe('an auth layer', () => {
  test('sees each request, beside configured headers', async () => {
    await using server = await openHttpServer(withHandshake({}))
    const headers = { 'x-key': 'configured' }
    await using client = await openHttp(server.url, { headers, auth: createLayer([]) })
    await initialize(client.session, info)
    await client.request('tools/list')
    const sent = server.received.map(({ headers }) => [headers.authorization, headers['x-key']])
    expect(new Set(sent.map(String))).toEqual(new Set(['Bearer from-the-layer,configured']))
  })

  test('is not asked where an Authorization header is configured', async () => {
    await using server = await openHttpServer(withHandshake({}))
    const headers = { Authorization: 'Bearer configured' }
    await using client = await openHttp(server.url, { headers, auth: refuse })
    await initialize(client.session, info)
    expect(server.all('initialize')[0]?.headers.authorization).toBe('Bearer configured')
  })

  test('fails a request with its own error', async () => {
    await using server = await openHttpServer(withHandshake({}))
    await using client = await openHttp(server.url, { auth: refuse })
    expect(await failureOf(initialize(client.session, info))).toBe(needed)
    expect(server.received).toEqual([])
  })

  test('fails the opening of an event stream with its own error', async () => {
    await using server = await openHttpServer(withHandshake({}))
    const { url } = server
    expect(await failureOf(openTestSession({ type: 'sse', url, auth: refuse }))).toBe(needed)
  })

  test('serves the event stream and the messages of HTTP with SSE', async () => {
    await using server = await openHttpServer(({ method, message }, response) => {
      if (method === 'GET') {
        openEvents(response).write('event: endpoint\ndata: /messages\n\n')
      } else json(response, answer(message.id), 202)
    })
    const { url } = server
    await using client = await openTestSession({ type: 'sse', url, auth: createLayer([]) })
    client.session.notify('notifications/initialized')
    await until(() => server.received.length === 2)
    const sent = server.received.map(({ method, headers }) => [method, headers.authorization])
    expect(sent).toEqual([
      ['GET', 'Bearer from-the-layer'],
      ['POST', 'Bearer from-the-layer'],
    ])
  })

  test('is told where a redirect leads before anything is sent there', async () => {
    await using elsewhere = await openHttpServer(withHandshake({}))
    await using server = await openHttpServer((_received, response) => {
      response.writeHead(307, { location: elsewhere.url }).end()
    })
    const origins: string[] = []
    await using client = await openHttp(server.url, { auth: createLayer(origins) })
    await failureOf(initialize(client.session, info))
    expect(new Set(origins)).toEqual(new Set([new URL(server.url).origin]))
    expect(elsewhere.received).toEqual([])
  })
})
