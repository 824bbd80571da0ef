import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { initialize, type MessageHandler, openSession, type Session } from '@mobius-mcp/protocol'
import { connect } from '@mobius-mcp/transports'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { failureOf, until } from './support.ts'

/** A server with one tool, which asks its client something and reports progress meanwhile. */
function createSdkServer(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '1' })
  server.registerTool('ask', {}, async (extra) => {
    const progressToken = extra._meta?.progressToken ?? 0
    const params = { progressToken, progress: 1, message: 'asking' }
    await extra.sendNotification({ method: 'notifications/progress', params })
    const { content } = await server.server.elicitInput(
      {
        message: 'Who?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      },
      { relatedRequestId: extra.requestId },
    )
    return { content: [{ type: 'text', text: `hello ${content?.name}` }] }
  })
  return server
}

interface SdkHost extends AsyncDisposable {
  readonly url: string
  forget(): void
}

async function host(handle: () => RequestListener): Promise<SdkHost> {
  let listener = handle()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    forget() {
      listener = handle()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const hosts = {
  http(): RequestListener {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
    })
    // Types of the SDK's that do not fit each other under exactOptionalPropertyTypes.
    const connected = createSdkServer().connect(transport as never)
    return async (request, response) => {
      await connected
      // As a server does that lost its memory in a restart.
      const known = transport.sessionId === request.headers['mcp-session-id']
      if (request.headers['mcp-session-id'] && !known) response.writeHead(404).end()
      else await transport.handleRequest(request, response)
    }
  },
  sse(): RequestListener {
    let transport: SSEServerTransport | undefined
    return async (request, response) => {
      if (request.method === 'GET') {
        transport = new SSEServerTransport('/messages', response)
        await createSdkServer().connect(transport)
      } else await transport?.handlePostMessage(request, response)
    }
  },
}

const handler: MessageHandler = {
  onMessage: (message) =>
    message.method === 'elicitation/create' ? { action: 'accept', content: { name: 'Ada' } } : {},
}

async function openClient(type: 'http' | 'sse', url: string): Promise<Session> {
  const session = await openSession(await connect({ type, url }), handler)
  const capabilities = { elicitation: {} }
  await initialize(session, { info: { name: 'test', version: '1' }, capabilities })
  return session
}

describe.each(['http', 'sse'] as const)('a server on the SDK, over %s', (type) => {
  test('is called, reports progress, asks and is answered', async () => {
    await using server = await host(hosts[type])
    const session = await openClient(type, server.url)
    const reports: unknown[] = []
    const onProgress = (report: unknown) => void reports.push(report)
    const result = await session.request(
      'tools/call',
      { name: 'ask', arguments: {} },
      { onProgress },
    )
    expect(result).toEqual({ content: [{ type: 'text', text: 'hello Ada' }] })
    expect(reports).toEqual([{ progress: 1, message: 'asking' }])
    expect(await failureOf(session.request('no/such', {}))).toMatchObject({ number: -32601 })
    await session.close()
  })
})

test('a restart of the server is noticed by the next request, which may be sent again', async () => {
  await using server = await host(hosts.http)
  const session = await openClient('http', server.url)
  server.forget()
  expect(await failureOf(session.request('tools/list', {}))).toMatchObject({ code: 'SESSION_LOST' })
  await until(() => session.ending.cancelled)
  const again = await openClient('http', server.url)
  expect(await again.request('tools/list', {})).toHaveProperty('tools')
  await again.close()
})
