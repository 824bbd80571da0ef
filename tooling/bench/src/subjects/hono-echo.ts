/** Baseline: the least a Hono handler can do to answer a call. */
import { Hono } from 'hono'
import { answerEcho, listEchoTools } from '../echo/answer.ts'
import type { HttpSubject } from './contract.ts'
import { serveHono } from './serve-hono.ts'

export function start(): Promise<HttpSubject> {
  const tools = listEchoTools(2)
  const app = new Hono()
  app.post('/mcp', async (context) => {
    const answer = answerEcho(await context.req.json(), tools)
    return answer === undefined ? context.body(null, 202) : context.json(answer)
  })
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
