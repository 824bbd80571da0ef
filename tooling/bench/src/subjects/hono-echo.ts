/** Baseline: the least a Hono handler can do to answer a call. */
import { Hono } from 'hono'
import { answerEcho, type EchoMessage, listEchoTools } from '../echo/answer.ts'
import type { HttpSubject } from './contract.ts'
import { serveHono } from './serve-hono.ts'

/** Handed out and never looked at, so that every subject gets the same requests, byte for byte. */
export const unreadSession = '0123456789abcdef0123456789abcdef'

export function start(): Promise<HttpSubject> {
  const tools = listEchoTools(2)
  const app = new Hono()
  app.post('/mcp', async (context) => {
    const message: EchoMessage = await context.req.json()
    if (message.method === 'initialize') context.header('mcp-session-id', unreadSession)
    const answer = answerEcho(message, tools)
    return answer === undefined ? context.body(null, 202) : context.json(answer)
  })
  app.delete('/mcp', (context) => context.body(null, 204))
  app.get(
    '/mcp',
    () => new Response(silence(), { headers: { 'content-type': 'text/event-stream' } }),
  )
  return serveHono({ fetch: app.fetch })
}

/** A stream on which nothing ever comes, to see what an open one costs by itself. */
function silence(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
  })
}
