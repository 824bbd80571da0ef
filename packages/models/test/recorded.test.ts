import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { openaiChat } from './fixtures/openai-chat.ts'
import { ask, failed, finished, userSays } from './support/ask.ts'
import { type Exchange, openLoopback } from './support/loopback.ts'

/**
 * What a server really said, byte by byte: llama.cpp's own, as
 * `packages/agent-server/test/local-model/README.md` has it run, with `stream_options.include_usage`.
 */
const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'fixtures/llama-cpp', name), 'utf8')

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
  const exchange = { body: recorded('text.sse') }
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
  const exchange = { body: recorded('call.sse') }
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
  const answer = await read({ status: 400, body: recorded('too-long.json') })
  expect(failed(answer).error).toMatchObject({
    code: 'CONTEXT_TOO_LONG',
    details: { status: 400, retryable: false },
  })
})
