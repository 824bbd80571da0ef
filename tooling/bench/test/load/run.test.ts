import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { answerEcho, type EchoMessage, listEchoTools } from '../../src/echo/answer.ts'
import { runLoad } from '../../src/load/run.ts'
import { start } from '../../src/subjects/hono-echo.ts'
import { serveHono } from '../../src/subjects/serve-hono.ts'

test('a load makes exactly its calls and finds every answer right', async () => {
  const subject = await start()
  onTestFinished(() => subject.close())
  const target = { ...subject, dialect: 'streamable' } as const
  const result = await runLoad({ target, inFlight: 4, warmUp: 10, calls: 50 })
  expect(result).toMatchObject({ failed: 0 })
  expect(result.callsPerSecond).toBeGreaterThan(0)
})

test("another call's answer counts as a failure", async () => {
  const app = new Hono().post('/mcp', async (context) => {
    const message: EchoMessage = await context.req.json()
    const params = { ...message.params, arguments: { text: 'something else' } }
    const answer = answerEcho({ ...message, params }, listEchoTools(2))
    return answer === undefined ? context.body(null, 202) : context.json(answer)
  })
  const subject = await serveHono({ fetch: app.fetch })
  onTestFinished(() => subject.close())
  const target = { ...subject, dialect: 'streamable' } as const
  const result = await runLoad({ target, inFlight: 2, warmUp: 0, calls: 5 })
  expect(result.failed).toBe(5)
  expect(result.failure).toContain('something else')
})
