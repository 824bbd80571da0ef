import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { MessageContext, Session } from '@mobius-mcp/protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { HttpHostOptions } from '../src/index.ts'
import { EventReader } from './event-reader.ts'
import { createTestHost, initializeMessage, type TestHost, type Tool } from './test-client.ts'

interface Served extends TestHost {
  url: string
  port: number
  server: Server
}

/** A host on a real port. */
async function serve(
  tools: Record<string, Tool>,
  options: Partial<HttpHostOptions> = {},
): Promise<Served> {
  const made = createTestHost(tools, options)
  const server = createServer(getRequestListener(made.host.fetch))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await made.host.close({ deadline: 0 })
  })
  const { port } = server.address() as AddressInfo
  return { ...made, server, port, url: `http://127.0.0.1:${port}/mcp` }
}

const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

async function open(url: string): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(initializeMessage()),
  })
  await response.text()
  return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
}

function callBody(name: string, id = 1): string {
  const params = { name, arguments: {}, _meta: { progressToken: id } }
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
}

/** Writes a request by hand and reads its head. */
async function raw(
  port: number,
  head: string[],
  body = '',
): Promise<{ socket: Socket; head: string }> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  let text = ''
  while (!text.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString('latin1')
  }
  return { socket, head: text }
}

test('a call over a socket is answered with one JSON object of known length', async () => {
  const { url } = await serve({ echo: () => ({ content: [] }) })
  const session = await open(url)

  const response = await fetch(url, { method: 'POST', headers: session, body: callBody('echo') })

  expect(response.headers.get('content-length')).toBe('48')
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [] } })
})

test('headers and first byte of a stream arrive before anything is said', async () => {
  const { url } = await serve({})
  const session = await open(url)

  const response = await fetch(url, { headers: { ...session, accept: 'text/event-stream' } })

  expect(response.status).toBe(200)
  expect(await new EventReader(response).next()).toMatchObject({ id: '0-0' })
  await response.body?.cancel().catch(() => {})
})

test('messages of a running call arrive while it runs', async () => {
  const finish = Promise.withResolvers<object>()
  let context: MessageContext | undefined
  const { url } = await serve({
    slow: (given) => {
      context = given
      given.progress({ progress: 1 })
      return finish.promise
    },
  })
  const session = await open(url)

  const response = await fetch(url, { method: 'POST', headers: session, body: callBody('slow') })
  const reader = new EventReader(response)
  expect(await reader.message()).toMatchObject({ params: { progress: 1, progressToken: 1 } })
  context?.progress({ progress: 2 })
  expect(await reader.message()).toMatchObject({ params: { progress: 2 } })
  finish.resolve({ content: [] })
  expect(await reader.message()).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [] } })
  expect(await reader.next()).toBeUndefined()
})

test('a client that drops its connection can come back for the rest', async () => {
  const finish = Promise.withResolvers<object>()
  const { url, host } = await serve({
    slow: (context) => {
      context.progress({ progress: 1 })
      return finish.promise
    },
  })
  const session = await open(url)
  const stop = new AbortController()
  const response = await fetch(url, {
    method: 'POST',
    headers: session,
    body: callBody('slow'),
    signal: stop.signal,
  })
  const reader = new EventReader(response)
  await reader.message()

  stop.abort()
  await expect(reader.next()).rejects.toThrow()
  finish.resolve({ content: [] })
  await expect.poll(() => host.sessions.list()[0]?.inFlight).toBe(0)

  const resumed = await fetch(url, {
    headers: { ...session, accept: 'text/event-stream', 'last-event-id': '1-1' },
  })
  expect(await new EventReader(resumed).message()).toMatchObject({ id: 1, result: {} })
})

test('a dropped listener is noticed, and its session becomes idle', async () => {
  const { url, host, clock } = await serve({}, { sessions: { idleTimeout: 1_000 } })
  const session = await open(url)
  const stop = new AbortController()
  const { signal } = stop
  const response = await fetch(url, {
    headers: { ...session, accept: 'text/event-stream' },
    signal,
  })
  await new EventReader(response).next()
  clock.advance(5_000)
  expect(host.sessions.count).toBe(1)

  stop.abort()

  await expect
    .poll(() => {
      clock.advance(1_000)
      return host.sessions.count
    })
    .toBe(0)
})

test('a reader that stalls is cut off, stalls nobody else, and costs a bounded amount', async () => {
  let session: Session | undefined
  const { url, port } = await serve(
    {
      meet: (context) => {
        session = context.session
        return {}
      },
    },
    { maxQueued: 100_000 },
  )
  const stalled = await open(url)
  await fetch(url, { method: 'POST', headers: stalled, body: callBody('meet') })
  const { socket } = await raw(port, [
    'GET /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Accept: text/event-stream',
    `Mcp-Session-Id: ${stalled['mcp-session-id']}`,
  ])
  socket.pause()
  const closed = once(socket, 'close')
  socket.on('error', () => {})

  // More than kernel and Node take off our hands for a reader that reads nothing.
  for (let n = 0; n < 400; n += 1) {
    session?.notify('notifications/message', { data: 'x'.repeat(50_000) })
    await new Promise((resolve) => setImmediate(resolve))
    if (n % 100 !== 0) continue
    const other = await open(url)
    const response = await fetch(url, { method: 'POST', headers: other, body: callBody('meet', n) })
    expect(response.status).toBe(200)
    session = undefined
    await fetch(url, { method: 'POST', headers: stalled, body: callBody('meet') })
  }

  socket.resume()
  await closed
})

test('a body without a length is cut off at the limit while it is read', async () => {
  const { port } = await serve({}, { maxBodyBytes: 1_000 })
  const request = httpRequest({ port, path: '/mcp', method: 'POST', headers })
  request.on('error', () => {})
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  request.write('x'.repeat(900))
  request.write('x'.repeat(200))

  // The body never ends: the answer cannot have waited for it.
  const [response] = await answered
  expect(response.statusCode).toBe(413)
  request.destroy()
})

test('a body with a length over the limit is refused before it is read', async () => {
  const { port } = await serve({}, { maxBodyBytes: 1_000 })

  const { head } = await raw(port, [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'Content-Length: 5000000000',
  ])

  expect(head).toContain('413')
  expect(head).toContain('1000 bytes')
})

test('a body that breaks off harms nobody', async () => {
  const { port, url, errors } = await serve({})
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`,
  )
  await once(socket, 'connect')
  await new Promise((resolve) => setImmediate(resolve))
  socket.destroy()
  await once(socket, 'close')

  await open(url)
  expect(errors).toEqual([])
})

test('a chunked body within the limit is read whole', async () => {
  const { port } = await serve({})
  const request = httpRequest({ port, path: '/mcp', method: 'POST', headers })
  const body = JSON.stringify(initializeMessage())
  for (const part of [body.slice(0, 10), body.slice(10)]) request.write(part)
  request.end()

  const [response] = (await once(request, 'response')) as [IncomingMessage]

  expect(response.statusCode).toBe(200)
  response.resume()
})

test('the host of a real request is checked too', async () => {
  const { port } = await serve({})
  const { head } = await raw(port, ['GET /healthz HTTP/1.1', 'Host: evil.example'])

  expect(head).toContain('403')
  expect(head).toContain('http.allowedHosts')
})

test('DELETE of a session with open streams ends them cleanly, without a reset', async () => {
  const { url } = await serve({})
  const session = await open(url)
  const stream = await fetch(url, { headers: { ...session, accept: 'text/event-stream' } })
  const reader = new EventReader(stream)
  await reader.next()

  const first = await fetch(url, { method: 'DELETE', headers: session })
  const second = await fetch(url, { method: 'DELETE', headers: session })

  expect([first.status, second.status]).toEqual([204, 404])
  expect(await reader.next()).toBeUndefined()
})

test('DELETE sent twice at once is answered twice, and neither is reset', async () => {
  const { url } = await serve({})
  for (let round = 0; round < 10; round += 1) {
    const session = await open(url)
    const end = () => fetch(url, { method: 'DELETE', headers: session })
    const statuses = (await Promise.all([end(), end(), end()])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([204, 404, 404])
  }
})

test('ten thousand calls leave nothing behind', async () => {
  const { host, clock } = createTestHost({
    echo: () => ({ content: [] }),
    talk: (context) => {
      context.progress({ progress: 1 })
      return { content: [] }
    },
  })
  const { TestClient } = await import('./test-client.ts')
  const client = await TestClient.open(host)
  const heap = () => {
    for (let n = 0; n < 3; n += 1) globalThis.gc?.()
    return process.memoryUsage().heapUsed
  }
  const run = async (count: number) => {
    for (let n = 0; n < count; n += 1) await (await client.call(n % 10 ? 'echo' : 'talk')).text()
    clock.advance(10 * 60_000)
  }
  await run(2_000)
  const before = heap()

  await run(10_000)

  if (globalThis.gc) expect(heap() - before).toBeLessThan(1_000_000)
  expect(host.sessions.list()).toMatchObject([{ inFlight: 0 }])
  expect(clock.timers).toBeLessThanOrEqual(1)
})
