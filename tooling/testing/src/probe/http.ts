import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createEventStore } from './event-store.ts'
import { type Probe, serveProbe } from './server.ts'

/** How a probe serves HTTP. */
export interface ProbeHttpOptions {
  /** 0 takes a free one. */
  port: number
  keepAliveMs: number | undefined
  /** Whether streams can be resumed by `Last-Event-ID`. */
  isResumable: boolean
}

interface HttpSession {
  transport: WebStandardStreamableHTTPServerTransport
  listening: PromiseWithResolvers<void>
}

/** Serves the probe over Streamable HTTP on the loopback, a server and transport for each session. */
export async function serveProbeHttp(probe: Probe, options: ProbeHttpOptions): Promise<string> {
  const sessions = new Map<string, HttpSession>()
  const fetch = async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id')
    const session = id === null ? await openSession(probe, options, sessions) : sessions.get(id)
    if (session === undefined) {
      const error = { code: -32001, message: 'Session not found' }
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 })
    }
    const response = await session.transport.handleRequest(request)
    if (request.method === 'GET' && response.ok) {
      session.listening.resolve()
    }
    return response
  }
  const server = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

async function openSession(
  probe: Probe,
  { keepAliveMs, isResumable }: ProbeHttpOptions,
  sessions: Map<string, HttpSession>,
): Promise<HttpSession> {
  const label = randomUUID()
  const listening = Promise.withResolvers<void>()
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => label,
    onsessioninitialized: () => {
      sessions.set(label, { transport, listening })
    },
    onsessionclosed: () => {
      sessions.delete(label)
    },
    maxRequestBodySize: 64 * 1024 * 1024,
    ...(keepAliveMs === undefined ? {} : { keepAliveMs }),
    ...(isResumable ? { eventStore: createEventStore() } : {}),
  })
  // The SDK's own class misses its own interface under exactOptionalPropertyTypes.
  await serveProbe(probe, {
    transport: transport as Transport,
    label,
    listening: listening.promise,
  })
  return { transport, listening }
}
