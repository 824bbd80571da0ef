import { openLoopback } from '@mobius-mcp/testing/models/loopback.ts'
import { openaiChat } from '@mobius-mcp/testing/models/openai-chat.ts'
import { expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { ask, finished, userSays } from './support/ask.ts'

test('an answer ends at its mark though the connection stays open', async () => {
  const [head = '', tail = ''] = String(openaiChat.text.body).split('ONE]')
  await using server = await openLoopback([{ body: [head, `ONE]${tail}`], end: 'never' }])
  const baseUrl = `${server.url}/v1`
  const models = createModels({ providers: { local: { dialect: 'openai-chat', baseUrl } } })
  const answer = await ask(models.model('local/m'), userSays('Hi'))
  expect(finished(answer).usage.outputTokens).toBe(5)
  await server.gone
})

test('an answer that speaks of the mark goes on', async () => {
  const said = ' data: [DONE]\\n\\ndata: [DONE]'
  const body = String(openaiChat.text.body).replace(', world!', said)
  await using server = await openLoopback([{ body }])
  const baseUrl = `${server.url}/v1`
  const models = createModels({ providers: { local: { dialect: 'openai-chat', baseUrl } } })
  const answer = await ask(models.model('local/m'), userSays('Hi'))
  expect(finished(answer).message.content).toEqual([
    { type: 'text', text: 'Hello data: [DONE]\n\ndata: [DONE]' },
  ])
})
