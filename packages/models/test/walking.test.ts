import { expect, test } from 'vitest'
import { openaiChat } from './fixtures/openai-chat.ts'
import { ask, createModels, finished, userSays } from './support/ask.ts'
import { openLoopback } from './support/loopback.ts'

test('walks', async () => {
  await using server = await openLoopback([openaiChat.text])
  const models = createModels({
    providers: {
      local: { dialect: 'openai-chat', baseUrl: `${server.url}/v1`, key: 'secret-key' },
    },
  })
  const answer = await ask(models.model('local/gpt-4o-mini'), userSays('Hi'))
  expect(answer.text).toBe('Hello, world!')
  expect(finished(answer)).toMatchInlineSnapshot(`
    {
      "message": {
        "content": [
          {
            "text": "Hello, world!",
            "type": "text",
          },
        ],
        "role": "assistant",
      },
      "reason": "stop",
      "type": "finish",
      "usage": {
        "cacheReadTokens": 4,
        "inputTokens": 12,
        "outputTokens": 5,
        "reasoningTokens": 0,
      },
    }
  `)
  expect(server.received[0]?.headers.authorization).toBe('Bearer secret-key')
})
