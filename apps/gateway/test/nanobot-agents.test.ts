import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chat } from './support/chat.ts'
import { connectClient } from './support/client.ts'
import { openModelEndpoint } from './support/model-endpoint.ts'
import { openPlace } from './support/place.ts'

const effects = join(import.meta.dirname, 'support/effects-server.mjs')
const permissions = 'permissions: { allow: [store] }\n'

/** A shop: one agent talks to people, another one knows the store, which stands in for a remote server. */
const servers = (folder: string) =>
  `store: { command: ${process.execPath}, args: [${effects}], env: { EFFECTS: ${folder}/effects.txt } }`
const providers = (baseUrl: string) =>
  `llmProviders: { here: { dialect: OpenAIChatCompletions, baseURL: "${baseUrl}", apiKey: "\${KEY}" } }\n`

const shapes = {
  'one file': (folder: string, baseUrl: string) => ({
    'nanobot.yaml': `${providers(baseUrl)}publish: { entrypoint: seller }
agents:
  seller: { name: Seller, model: here/small, instructions: You sell., agents: [keeper], starterMessages: [Buy] }
  keeper: { model: here/small, instructions: You keep., mcpServers: [store], chat: true }
mcpServers:
  ${servers(folder)}
${permissions}`,
  }),
  'a folder with an agent in each file': (folder: string, baseUrl: string) => ({
    'bot/nanobot.yaml': `${providers(baseUrl)}publish: { entrypoint: seller }\n${permissions}`,
    'bot/agents/seller.md':
      '---\nname: Seller\nmodel: here/small\nagents: [keeper]\n---\nYou sell.\n',
    'bot/agents/keeper.md': '---\nmodel: here/small\nmcpServers: [store]\n---\nYou keep.\n',
    'bot/mcp-servers.yaml': `${servers(folder)}\n`,
  }),
}

test.each(Object.entries(shapes))(
  'nanobot’s agents run as they are: %s',
  async (_shape, filesOf) => {
    await using endpoint = await openModelEndpoint(({ system, last, isResult }) => {
      if (isResult) return `heard: ${last.split('\n')[0]}`
      return system === 'You sell.'
        ? { call: 'chat-with-keeper', args: { prompt: last } }
        : { call: 'note', args: { sold: last } }
    })
    await using place = await openPlace('', { KEY: 'a-key-of-the-model' })
    const files = Object.entries(filesOf(place.folder, endpoint.baseUrl))
    for (const [file, text] of files) await place.write(text, file)
    const path = files[0]?.[0].startsWith('bot/') ? 'bot' : 'nanobot.yaml'
    await using mobius = await place.serve(['--config', path])
    await using client = await connectClient(`${mobius.origin}/mcp/chat`)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['chat-with-seller'])
    const answer = await chat(client, 'a lamp', { agent: 'seller' })
    expect(answer.text).toBe('heard: heard: did note {"sold":"a lamp"}')
    expect(await place.effects()).toEqual(['note {"sold":"a lamp"}'])
    expect(endpoint.asked[0]).toMatchObject({
      model: 'small',
      authorization: 'Bearer a-key-of-the-model',
    })
  },
)
