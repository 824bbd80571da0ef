import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '@mobius-mcp/protocol'

/** What a hand-made server is asked. */
interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly message: { id?: number; method?: string; params?: Record<string, unknown> }
  /** Set when the client has gone before the answer was complete. */
  abandoned: boolean
}

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  /** Those with this JSON-RPC or HTTP method. */
  all(method: string): Received[]
  openSockets(): Promise<number>
  cutConnections(): void
}

export type Reply = (received: Received, response: ServerResponse) => void

/** A server on a free port of the loopback interface, which answers what the test wants it to. */
export async function openHttpServer(reply: Reply): Promise<TestServer> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const one = await receive(request)
    response.on('close', () => {
      one.abandoned = !response.writableFinished
    })
    received.push(one)
    reply(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    all: (method) =>
      received.filter((one) => one.message.method === method || one.method === method),
    openSockets: () =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
    cutConnections: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const { method = '', url = '', headers } = request
  const message = body.startsWith('{') ? JSON.parse(body) : {}
  return { method, path: url, headers, message, abandoned: false }
}

export function json(response: ServerResponse, value: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

export function openEvents(response: ServerResponse, headers = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers })
  response.flushHeaders()
  return response
}

export function event(value: unknown, fields: Record<string, unknown> = {}): string {
  const lines = Object.entries(fields).map(([name, field]) => `${name}: ${field}\n`)
  return `${lines.join('')}data: ${JSON.stringify(value)}\n\n`
}

/** Does the handshake and the rest that every server does; the test's own replies come first. */
export function withHandshake(
  replies: Record<string, Reply>,
  sessionId: string | undefined = undefined,
): Reply {
  return (received, response) => {
    const { message, method } = received
    const own = replies[message.method ?? method]
    if (own) return own(received, response)
    const { id } = message
    if (method === 'GET') response.writeHead(405).end()
    else if (message.method === 'initialize') {
      const headers = sessionId === undefined ? {} : { 'mcp-session-id': sessionId }
      json(response, answer(id, handMade), 200, headers)
    } else if (id === undefined) response.writeHead(202).end()
    else json(response, answer(id, message.params))
  }
}

const handMade: JsonObject = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  serverInfo: { name: 'hand-made', version: '1' },
}

export function answer(id: number | undefined, result: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, result }
}

/** Something a server says before its answer. */
export const progress: JsonObject = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { data: 'half' },
}
