/** Baseline: a tool of the official SDK's own server that says words one at a time, as progress. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as SdkTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { Hono } from 'hono'
import { z } from 'zod'
import { token } from './bench-models.ts'
import { serveHono } from './serve-hono.ts'

/** Serves it on a free port of this process. Resolves with its address. */
export async function serveSdkProgress(): Promise<string> {
  const transport = new SdkTransport({ sessionIdGenerator: () => crypto.randomUUID() })
  await createServer().connect(transport)
  const app = new Hono()
  app.all('/mcp', ({ req }) => transport.handleRequest(req.raw))
  const { url } = await serveHono({ fetch: app.fetch, close: () => transport.close() })
  return url
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'bench-progress', version: '1.0.0' })
  const input = { description: 'Talks.', inputSchema: { prompt: z.string() } }
  server.registerTool('chat-with-main', input, async ({ prompt }, { _meta, sendNotification }) => {
    const count = Number(prompt.split(' ')[1])
    const progressToken = _meta?.progressToken
    if (progressToken === undefined) throw new Error('Nobody wants to hear of the progress.')
    for (let progress = 1; progress <= count; progress += 1) {
      const params = { progressToken, progress, message: token }
      await sendNotification({ method: 'notifications/progress', params })
    }
    return { content: [{ type: 'text', text: token.repeat(count) }] }
  })
  return server
}
