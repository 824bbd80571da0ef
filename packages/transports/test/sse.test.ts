import type { ServerResponse } from 'node:http'
import { connect } from '@mobius-mcp/transports'
import { expect, test } from 'vitest'
import {
  answer,
  event,
  openEvents,
  openHttpServer,
  progress,
  type Reply,
  type TestServer,
} from './http-server.ts'
import { failure, failureOf, openTestSession, type TestSession, until } from './support.ts'

/** An old server: a stream that begins with where to post, and answers on that stream. */
async function openSseServer(
  onPost: Reply,
  endpoint = '/messages?sessionId=1',
): Promise<TestServer & { streams: ServerResponse[] }> {
  const streams: ServerResponse[] = []
  const server = await openHttpServer((received, response) => {
    if (received.method !== 'GET') return onPost(received, response)
    streams.push(openEvents(response))
    response.write(`event: endpoint\r\ndata: ${endpoint}\r\n\r\n`)
  })
  return { ...server, streams }
}

function open(url: string): Promise<TestSession> {
  return openTestSession({ type: 'sse', url, headers: { 'X-Api-Key': 'k-123456' } })
}

test('answers come on the one stream, with whatever members they have', async () => {
  await using server = await openSseServer(({ message }, response) => {
    response.writeHead(202).end('Accepted')
    const result = '{"__proto__":{"a":1},"x":[null,false,0]}'
    server.streams[0]?.write(event(progress))
    server.streams[0]?.write(
      `: hm\n\ndata: {"jsonrpc":"2.0","odd":1,\ndata: "id":${message.id},"result":${result}}\n\n`,
    )
  })
  await using client = await open(server.url)
  const result = await client.request('tools/call', { q: 1 })
  expect(JSON.stringify(result)).toBe('{"__proto__":{"a":1},"x":[null,false,0]}')
  expect(client.heard).toMatchObject([{ method: 'notifications/message', relatedTo: undefined }])
  expect(server.all('tools/call')[0]).toMatchObject({
    path: '/messages?sessionId=1',
    headers: { 'x-api-key': 'k-123456' },
    message: { params: { q: 1 } },
  })
})

test('a lost stream fails everything in flight at once, and is not opened again', async () => {
  await using server = await openSseServer((_, response) => void response.writeHead(202).end())
  await using client = await open(server.url)
  const pending = [1, 2].map(() => failure(client.request('hang')))
  await until(() => server.all('hang').length === 2)
  server.streams[0]?.end()
  for (const message of await Promise.all(pending)) {
    expect(message).toBe('hang: connection closed: the server ended the stream')
  }
  expect(server.all('GET').length).toBe(1)
})

test('a broken stream is named as such', async () => {
  await using server = await openSseServer((_, response) => void response.writeHead(202).end())
  await using client = await open(server.url)
  server.cutConnections()
  expect(await client.closed).toMatch(/^the stream broke \(/)
})

test('a session that the POST does not find lets the request be sent again', async () => {
  await using server = await openSseServer((_, response) => {
    response.writeHead(404).end('Could not find session')
  })
  await using client = await open(server.url)
  expect(await failureOf(client.request('tools/call'))).toMatchObject({ code: 'SESSION_LOST' })
  expect(await client.closed).toBe('the server has forgotten the session')
})

test('a refused POST fails its request only', async () => {
  await using server = await openSseServer(({ message }, response) => {
    response.writeHead(message.method === 'big' ? 413 : 202).end('too large')
    if (message.method !== 'big')
      server.streams[0]?.write(event(answer(message.id, { fine: true })))
  })
  await using client = await open(server.url)
  const message = await failure(client.request('big'))
  expect(message.replace(server.url, 'URL')).toBe('big: URL answered HTTP 413: too large')
  expect(await client.request('small')).toEqual({ fine: true })
})

test('an endpoint of another origin is refused', async () => {
  await using server = await openSseServer(() => {}, 'http://elsewhere.example/messages')
  expect(await failure(open(server.url))).toContain('Endpoint origin does not match')
  await until(() => server.all('GET')[0]?.abandoned === true)
})

test('a refused stream names status and text', async () => {
  await using server = await openHttpServer((_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('who are you?')
  })
  const error = await failureOf(open(server.url))
  expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', status: 401, challenge: 'Bearer' })
  expect(error.message).toContain('HTTP 401: who are you?')
})

test('a body that is no stream, or ends too soon, is named', async () => {
  await using page = await openHttpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>')
  })
  expect(await failure(open(page.url))).toContain('answered HTTP 200: hello')
  await using mute = await openHttpServer((_, response) => void openEvents(response).end())
  expect(await failure(open(mute.url))).toContain('ended the stream before it said where')
})

test('an attempt can be given up', async () => {
  await using server = await openHttpServer((_, response) => void openEvents(response))
  const controller = new AbortController()
  const wire = await connect({ type: 'sse', url: server.url }, { signal: controller.signal })
  const started = failure(wire.start())
  await until(() => server.received.length === 1)
  controller.abort()
  expect(await started).toContain('given up before it answered')
  await until(() => server.received[0]?.abandoned === true)
})

test('closing ends the stream', async () => {
  await using server = await openSseServer((_, response) => void response.writeHead(202).end())
  const client = await open(server.url)
  await Promise.all([client.session.close(), client.wire.close()])
  await until(() => server.all('GET')[0]?.abandoned === true)
  expect(await failure(client.wire.send({ jsonrpc: '2.0', method: 'late' }))).toBe(
    'Nothing was sent: the connection was closed',
  )
})

test('thousands of messages leave no warning behind', async () => {
  await using server = await openSseServer(({ message }, response) => {
    response.writeHead(202).end()
    server.streams[0]?.write(event(answer(message.id)))
  })
  const warnings: string[] = []
  const onWarning = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', onWarning)
  {
    await using client = await open(server.url)
    for (let round = 0; round < 150; round++) {
      await Promise.all(Array.from({ length: 20 }, () => client.request('tools/call')))
    }
  }
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
}, 60_000)
