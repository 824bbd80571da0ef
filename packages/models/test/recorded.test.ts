import { type Exchange, openLoopback } from '@mobius-mcp/testing/models/loopback.ts'
import { openaiChat } from '@mobius-mcp/testing/models/openai-chat.ts'
import { readRecorded } from '@mobius-mcp/testing/models/recorded.ts'
import { expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { ask, failed, finished, userSays } from './support/ask.ts'

async function read(exchange: Exchange) {
  await using server = await openLoopback([exchange])
  const baseUrl = `${server.url}/v1`
  const models = createModels({
    providers: { local: { dialect: 'openai-chat', baseUrl } },
    retry: { attempts: 1 },
  })
  const tools = [{ name: 'add', inputSchema: { type: 'object' } }]
  return await ask(models.model('local/m'), { ...userSays('Hi'), tools })
}

async function readByOpenAI(exchange: Exchange) {
  await using server = await openLoopback([exchange])
  return await openaiChat.readByVendor(`${server.url}/v1`)
}

test('a text of llama.cpp’s server is read, as OpenAI’s own SDK reads it', async () => {
  const exchange = { body: readRecorded('text.sse') }
  const answer = await read(exchange)
  expect(finished(answer)).toMatchObject({
    reason: 'stop',
    usage: { inputTokens: 24, cacheReadTokens: 4, outputTokens: 22 },
  })
  expect(answer.text).toBe((await readByOpenAI(exchange)).text)
  expect(answer.text).toMatchInlineSnapshot(
    `"I'm here to help with any kind of math or science project. What can I do for you?"`,
  )
})

test('a call of llama.cpp’s server is read, as OpenAI’s own SDK reads it', async () => {
  const exchange = { body: readRecorded('call.sse') }
  const answer = await read(exchange)
  const { reason, message } = finished(answer)
  expect(reason).toBe('tool-calls')
  const args = { a: 2, b: 3 }
  expect(message.content).toEqual([
    { type: 'tool-call', id: 'ordi4nxxJxF6rEBAp2f3tERNbU4JRWwX', name: 'add', arguments: args },
  ])
  expect((await readByOpenAI(exchange)).calls).toEqual([{ name: 'add', arguments: args }])
})

test('a conversation that llama.cpp’s server has no room for is too long', async () => {
  const answer = await read({ status: 400, body: readRecorded('too-long.json') })
  expect(failed(answer).error).toMatchObject({
    code: 'CONTEXT_TOO_LONG',
    details: { status: 400, retryable: false },
  })
})
