import { openLoopback } from '@mobius-mcp/testing/models/loopback.ts'
import { openaiChat } from '@mobius-mcp/testing/models/openai-chat.ts'
import { expect, test } from 'vitest'
import { createModels, type ModelMessage } from '../src/index.ts'
import { ask, finished, userSays } from './support/ask.ts'

test('Chat Completions: the reasoning of turns that called tools goes back, and no other', async () => {
  await using server = await openLoopback([openaiChat.text])
  const providers = { local: { dialect: 'openai-chat', baseUrl: `${server.url}/v1` } } as const
  const replay = { provider: 'local', metadata: {} }
  const thinks = (text: string) => ({ type: 'reasoning', text, replay }) as const
  const messages: ModelMessage[] = [
    ...userSays('First').messages,
    { role: 'assistant', content: [thinks('plain'), { type: 'text', text: 'Yes' }] },
    ...userSays('Second').messages,
    {
      role: 'assistant',
      content: [thinks('before'), { type: 'tool-call', id: 'c1', name: 'a', arguments: {} }],
    },
    { role: 'tool', content: [{ type: 'tool-result', id: 'c1', name: 'a', content: [] }] },
    { role: 'assistant', content: [thinks('after'), { type: 'text', text: 'Done' }] },
    ...userSays('Third').messages,
  ]
  finished(await ask(createModels({ providers }).model('local/m'), { messages }))
  const sent = server.received[0]?.body.messages as { reasoning_content?: string }[]
  expect(sent.map((message) => message.reasoning_content)).toEqual([
    undefined,
    undefined,
    undefined,
    'before',
    undefined,
    'after',
    undefined,
  ])
})
