import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type ClientCapabilities,
  type CreateMessageRequest,
  CreateMessageRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { chat } from './support/chat.ts'
import { connectClient } from './support/client.ts'
import { openPlace } from './support/place.ts'

/** Another model is there too, which answers what servers ask: agents whose model is the client's ask the client. */
const configuration = `models:
  default: client
  aliases: { other: here/small }
  providers: { here: { baseUrl: "http://127.0.0.1:9/v1" } }
permissions: { allow: [effects/note] }
`

type Question = CreateMessageRequest['params']

/** A client of the official SDK that has a model, and what it was asked. */
async function connectModel(
  url: string,
  sampling: NonNullable<ClientCapabilities['sampling']>,
  answer: (question: Question) => object,
) {
  const client = new Client({ name: 'model', version: '1' }, { capabilities: { sampling } })
  const asked: Question[] = []
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    asked.push(params)
    return { role: 'assistant', model: 'theirs', ...answer(params) } as never
  })
  // The SDK's class misses its own interface under exactOptionalPropertyTypes.
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport)
  return Object.assign(client, { asked, [Symbol.asyncDispose]: () => client.close() })
}

test('an agent whose model is that of the client asks it, and calls the tools that it wants called', async () => {
  await using place = await openPlace(configuration)
  await using mobius = await place.serve()
  await using client = await connectModel(`${mobius.origin}/mcp`, { tools: {} }, ({ messages }) => {
    if (messages.length > 1) return { content: { type: 'text', text: 'It is noted.' } }
    const use = { type: 'tool_use', id: 'u1', name: 'note', input: { n: 1 } }
    return { content: [{ type: 'text', text: 'I note it.' }, use], stopReason: 'toolUse' }
  })
  expect(await chat(client, 'note it')).toMatchObject({ text: 'It is noted.', isError: false })
  expect(await place.effects()).toEqual(['note {"n":1}'])
  const [first, second] = client.asked
  expect(first?.tools?.map(({ name }) => name)).toContain('note')
  expect(first?.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'note it' } }])
  expect(second?.messages.slice(1)).toMatchObject([
    { role: 'assistant', content: [{ text: 'I note it.' }, { type: 'tool_use', id: 'u1' }] },
    { role: 'user', content: [{ type: 'tool_result', toolUseId: 'u1' }] },
  ])
})

test('a client whose model knows no tools is offered none', async () => {
  await using place = await openPlace(configuration)
  await using mobius = await place.serve()
  await using client = await connectModel(`${mobius.origin}/mcp`, {}, ({ messages }) => ({
    content: { type: 'text', text: `message ${messages.length}` },
    stopReason: 'endTurn',
  }))
  expect((await chat(client, 'hello')).text).toBe('message 1')
  expect((await chat(client, 'and again')).text).toBe('message 3')
  for (const { tools } of client.asked) expect(tools).toBeUndefined()
})

test('a client without a model is told so, and gets no other', async () => {
  await using place = await openPlace(configuration)
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const { text, isError } = await chat(client, 'hello')
  expect(text).toContain('it did not declare the capability "sampling"')
  expect(isError).toBe(true)
})
