import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { chat } from './support/chat.ts'
import { connectClient } from './support/client.ts'
import { openModelEndpoint } from './support/model-endpoint.ts'
import { openPlace } from './support/place.ts'

const models = (baseUrl: string, model = 'small') => `models:
  providers: { here: { baseUrl: "${baseUrl}", key: "a-key-of-here" } }
  default: here/${model}
`

async function toolNames(client: Awaited<ReturnType<typeof connectClient>>): Promise<string[]> {
  const { tools } = await client.listTools()
  return tools.map(({ name }) => name).filter((name) => name.startsWith('chat-with-'))
}

test('agents of the configuration ask their models, call tools by their own rules, and call one another', async () => {
  await using endpoint = await openModelEndpoint(({ system, last, isResult }) => {
    if (isResult) return `heard: ${last.split('\n')[0]}`
    return system === 'You lead.'
      ? { call: 'chat-with-helper', args: { prompt: last } }
      : { call: last, args: { by: system } }
  })
  await using place = await openPlace(`${models(endpoint.baseUrl)}
agents:
  helper: { mode: subagent, instructions: You help., mcpServers: [effects], permissions: { allow: [effects/note] } }
  other: { instructions: You other., mcpServers: [effects] }
  main: { default: true, instructions: You lead., agents: [helper] }
`)
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  expect(await toolNames(client)).toEqual(['chat-with-main', 'chat-with-other'])
  const led = await chat(client, 'note', { agent: 'main' })
  expect(led.text).toBe('heard: heard: did note {"by":"You help."}')
  const refused = await chat(client, 'hold', { agent: 'main' })
  expect(refused.text).toContain('effects/hold was refused: rule default: what an agent does')
  expect((await chat(client, 'note', { agent: 'other' })).text).toContain(
    'effects/note was refused',
  )
  expect(await place.effects()).toEqual(['note {"by":"You help."}'])
  const [first] = endpoint.asked
  expect(first).toMatchObject({ model: 'small', authorization: 'Bearer a-key-of-here' })
  expect(first?.tools).toEqual(['chat-with-helper', 'read_resource'])
})

test('agents, their models and their rules change live; one that is gone is refused by name', async () => {
  await using endpoint = await openModelEndpoint(({ model, system }) => `${model}: ${system}`)
  const configure = (model: string, agents: string) =>
    `${models(endpoint.baseUrl, model)}\n${agents}`
  await using place = await openPlace(
    configure('small', 'agents: { one: { instructions: Be brief. }, two: { instructions: Hi. } }'),
  )
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const changed = Promise.withResolvers<void>()
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve())
  expect(await toolNames(client)).toEqual(['chat-with-one', 'chat-with-two'])
  const first = await chat(client, 'hello', { agent: 'one' })
  expect(first.text).toBe('small: Be brief.')
  await place.write(
    configure('large', 'agents: { one: { instructions: Be long. }, three: { instructions: Ho. } }'),
  )
  await changed.promise
  expect(await toolNames(client)).toEqual(['chat-with-one', 'chat-with-three'])
  const again = await chat(client, 'hello', { agent: 'one', thread: first.thread })
  expect(again).toEqual({ text: 'large: Be long.', thread: first.thread, isError: false })
  expect((await chat(client, 'hello', { agent: 'three' })).text).toBe('large: Ho.')
  await expect(chat(client, 'hello', { agent: 'two' })).rejects.toThrow(
    'Unknown tool: chat-with-two',
  )
})

test('prompts of the configuration are served, and are the instructions of agents', async () => {
  await using endpoint = await openModelEndpoint(({ system }) => system)
  await using place = await openPlace(`${models(endpoint.baseUrl)}
prompts:
  manner: { template: "Speak like \${who}.", input: { who: "Whom to be like" } }
agents:
  main: { instructions: { prompt: manner, arguments: { who: a king } } }
`)
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const { prompts } = await client.listPrompts()
  expect(prompts).toMatchObject([
    {
      name: 'manner',
      arguments: [{ name: 'who', description: 'Whom to be like', required: true }],
    },
  ])
  const { messages } = await client.getPrompt({ name: 'manner', arguments: { who: 'a cat' } })
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Speak like a cat.' } }])
  expect((await chat(client, 'hello', { agent: 'main' })).text).toBe('Speak like a king.')
})

test('hooks of the configuration look at the turns of agents', async () => {
  await using endpoint = await openModelEndpoint(({ last }) => `you said ${last}`)
  await using place = await openPlace(`${models(endpoint.baseUrl)}
hooks: { request: [effects/check] }
agents: { main: { instructions: Hi. } }
`)
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const blocked = await chat(client, 'hello', { agent: 'main' })
  expect(blocked).toMatchObject({ isError: true })
  expect(blocked.text).toContain('not today')
  expect(endpoint.asked).toEqual([])
})
