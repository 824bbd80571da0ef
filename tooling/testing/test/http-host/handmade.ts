import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createHttpHost, type HttpHost, type HttpHostOptions } from '@mobius-mcp/http-host'
import {
  type JsonObject,
  type MessageContext,
  type MessageHandler,
  negotiateVersion,
  ProtocolError,
} from '@mobius-mcp/protocol'

/** A server made by hand, of nothing but `MessageHandler`. */
const handmade: MessageHandler = {
  onMessage(message, context) {
    if (!('id' in message)) return undefined
    const { method, params = {} } = message
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: negotiateVersion(params.protocolVersion),
          capabilities: { tools: { listChanged: true }, logging: {} },
          serverInfo: { name: 'handmade', version: '1.0.0' },
        }
      case 'tools/list':
        return {
          tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
        }
      case 'tools/call':
        return callTool(context, params)
      default:
        throw new ProtocolError('METHOD_NOT_FOUND', `Method not found: ${method}`)
    }
  },
}

type Tool = (context: MessageContext, args: JsonObject) => Promise<unknown>

const tools: Record<string, Tool> = {
  echo: async (_, { text }) => text,
  count: async (context) => {
    for (let progress = 1; progress <= 3; progress += 1) context.progress({ progress, total: 3 })
    return 'counted'
  },
  ask: async (context) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
    const answer = await context.ask('elicitation/create', { message: 'Who?', requestedSchema })
    return JSON.stringify(answer)
  },
  announce: async ({ session }) => {
    session.notify('notifications/tools/list_changed')
    return 'announced'
  },
  fail: async (context) => {
    context.progress({ progress: 1 })
    throw new ProtocolError('INVALID_PARAMS', 'No such city', { data: { city: 'Atlantis' } })
  },
  /** Speaks, waits until the test lets it go on, and speaks again. */
  pause: async (context) => {
    context.progress({ progress: 1 })
    await gate.promise
    context.progress({ progress: 2 })
    return 'went on'
  },
  cancelled: async (context) => {
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
    return undefined
  },
}

let gate = Promise.withResolvers<void>()

/** Lets `pause` go on. */
export function openGate(): void {
  gate.resolve()
  gate = Promise.withResolvers()
}

async function callTool(context: MessageContext, params: JsonObject): Promise<JsonObject> {
  const tool = tools[String(params.name)]
  if (!tool) throw new ProtocolError('INVALID_PARAMS', `Unknown tool: ${String(params.name)}`)
  const text = await tool(context, (params.arguments ?? {}) as JsonObject)
  return { content: [{ type: 'text', text }] }
}

export interface Served extends AsyncDisposable {
  url: URL
  host: HttpHost
  errors: Error[]
  /** Breaks every connection, as a network does. */
  breakConnections(): void
}

/** Serves the handmade server on a port of its own. */
export async function serveHandmade(options: Partial<HttpHostOptions> = {}): Promise<Served> {
  const errors: Error[] = []
  const host = createHttpHost({
    route: (path) => (path === '/mcp' ? handmade : undefined),
    onError: (error) => errors.push(error),
    ...options,
  })
  const server = createServer(getRequestListener(host.fetch))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    host,
    errors,
    breakConnections: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      await host.close({ deadline: 0 })
      server.closeAllConnections()
      server.close()
    },
  }
}
