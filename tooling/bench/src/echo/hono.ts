/** A bare Hono echo as a program: `node hono.ts PORT`. How fast Node and Hono alone can start. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { answerEcho, listEchoTools } from './answer.ts'

const tools = listEchoTools(100)
const app = new Hono()
app.post('/mcp', async (context) => {
  const answer = answerEcho(await context.req.json(), tools)
  return answer === undefined ? context.body(null, 202) : context.json(answer)
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.argv[2]) })
