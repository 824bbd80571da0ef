/** Baseline: a Hono handler that writes the request as a line to a child and waits for its answer. */
import { spawn } from 'node:child_process'
import { Hono } from 'hono'
import type { EchoMessage } from '../echo/answer.ts'
import type { HttpSubject, HttpSubjectOptions } from './contract.ts'
import { unreadSession } from './hono-echo.ts'
import { serveHono } from './serve-hono.ts'

export function start({ upstream }: HttpSubjectOptions): Promise<HttpSubject> {
  if (upstream === undefined || 'url' in upstream) throw new Error('The relay needs a command.')
  const child = spawn(upstream.command, upstream.args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, (answer: EchoMessage) => void>()
  let lastId = 0

  child.stdout.setEncoding('utf8')
  let rest = ''
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const answer = JSON.parse(line) as EchoMessage & { id: number }
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
    }
  })

  const app = new Hono()
  app.post('/mcp', async (context) => {
    const message: EchoMessage = await context.req.json()
    if (message.id === undefined) return context.body(null, 202)
    if (message.method === 'initialize') context.header('mcp-session-id', unreadSession)
    const id = ++lastId
    child.stdin.write(`${JSON.stringify({ ...message, id })}\n`)
    const answer = await new Promise<EchoMessage>((resolve) => waiting.set(id, resolve))
    return context.json({ ...answer, id: message.id })
  })
  app.delete('/mcp', (context) => context.body(null, 204))
  return serveHono({
    fetch: app.fetch,
    async close() {
      child.stdin.end()
    },
  })
}
