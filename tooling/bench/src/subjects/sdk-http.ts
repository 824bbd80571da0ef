/** Baseline: the official SDK's own server, with sessions and streamed answers, under Hono. */
import { WebStandardStreamableHTTPServerTransport as SdkTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { Hono } from 'hono'
import type { HttpSubject } from './contract.ts'
import { createSdkEcho } from './sdk-echo.ts'
import { serveHono } from './serve-hono.ts'

export function start(): Promise<HttpSubject> {
  const sessions = new Map<string, SdkTransport>()
  const app = new Hono()
  app.all('/mcp', async (context) => {
    const session = context.req.header('mcp-session-id')
    const transport = session === undefined ? await openSession(sessions) : sessions.get(session)
    return transport?.handleRequest(context.req.raw) ?? context.notFound()
  })
  return serveHono({ fetch: app.fetch })
}

async function openSession(sessions: Map<string, SdkTransport>): Promise<SdkTransport> {
  const transport: SdkTransport = new SdkTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  })
  await createSdkEcho().connect(transport)
  return transport
}
