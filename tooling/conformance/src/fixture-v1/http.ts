import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createEventStore } from './event-store.ts'

/** Serves one server for each session over Streamable HTTP on a loopback port, at any path. */
export function serveHttp(port: number, create: () => McpServer): Server {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const hosts = [`localhost:${port}`, `127.0.0.1:${port}`]

  async function openTransport(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
      eventStore: createEventStore(),
      retryInterval: 500,
      enableDnsRebindingProtection: true,
      allowedHosts: hosts,
      allowedOrigins: hosts.map((host) => `http://${host}`),
    })
    await create().connect(transport)
    return transport
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const transport = id === undefined ? await openTransport() : sessions.get(String(id))
    if (transport === undefined) {
      response.writeHead(404).end()
      return
    }
    await transport.handleRequest(request, response)
    // Whatever came without a session and did not begin one was refused by its transport.
    if (transport.sessionId === undefined) await transport.close()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      response.destroy()
    })
  })
  return server.listen(port, '127.0.0.1')
}
