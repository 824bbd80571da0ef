import type { JsonObject } from '@mobius-mcp/protocol'
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { asyncMeta, threadMeta } from '../src/index.ts'
import { openHouse } from './support/house.ts'
import { callsWhatIsSaid, lastSaid, scriptModels } from './support/scripted-model.ts'
import { openSdkClient } from './support/sdk-client.ts'
import { createToolBox } from './support/tools.ts'

test('an official client chats: deltas come as progress, a question is answered, the history is read', async () => {
  const models = scriptModels(callsWhatIsSaid)
  const box = createToolBox()
  const main = { name: 'main', tools: ['box'] }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using stack = new AsyncDisposableStack()
  const client = await openSdkClient(house.published, stack)
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: 'accept',
    content: { colour: 'green' },
  }))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('chat-with-main')
  const deltas: string[] = []
  const params = { name: 'chat-with-main', arguments: { prompt: 'ask' } }
  const result = await client.callTool(params, undefined, {
    onprogress: ({ message }) => {
      if (message) deltas.push(message)
    },
  })
  expect(result.content).toEqual([{ type: 'text', text: 'It said: accept green' }])
  expect(deltas.join('')).toBe('It said: accept green')
  const { contents } = await client.readResource({ uri: 'chat://history' })
  expect(contents.map((each) => JSON.parse('text' in each ? each.text : '').type)).toEqual([
    'user',
    'assistant',
    'result',
    'assistant',
    'end',
  ])
})

test('an official client follows an asynchronous chat', async () => {
  const models = scriptModels((request) => `re: ${lastSaid(request)}`)
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using stack = new AsyncDisposableStack()
  const client = await openSdkClient(house.published, stack)
  const updated = Promise.withResolvers<string>()
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.resolve(params.uri)
  })
  await client.subscribeResource({ uri: 'chat://history' })
  const params = {
    name: 'chat-with-main',
    arguments: { prompt: 'go' },
    _meta: { [asyncMeta]: true },
  }
  const result = await client.callTool(params)
  expect(await updated.promise).toBe('chat://history')
  const thread = (result._meta as JsonObject)[threadMeta]
  const read = async () => {
    const { contents } = await client.readResource({ uri: `chat://threads/${thread}/history` })
    return contents.length
  }
  await expect.poll(read).toBe(3)
})
