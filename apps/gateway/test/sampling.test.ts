import { join } from 'node:path'
import type { JsonObject } from '@mobius-mcp/protocol'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect, test } from 'vitest'
import { chooseModel } from '../src/choose-model.ts'
import { findRunning } from '../src/running-gateway.ts'
import { connectClient } from './support/client.ts'
import { openModelEndpoint } from './support/model-endpoint.ts'
import { openPlace } from './support/place.ts'

const server = join(import.meta.dirname, 'support/sampling-server.mjs')
const asking = `  asking: { command: ${process.execPath}, args: [${server}] }\n`

async function use(client: Client, name: string, params: JsonObject = {}): Promise<JsonObject> {
  const result = await client.callTool({ name: `asking__${name}`, arguments: { params } })
  const [content] = result.content as { text: string }[]
  return JSON.parse(content?.text ?? '')
}

test('a server that asks a model is answered by one of the configuration, where a rule allows it', async () => {
  await using endpoint = await openModelEndpoint(({ system, last }) => `${system} ${last}`)
  await using place = await openPlace(`${asking}
models: { providers: { here: { baseUrl: "${endpoint.baseUrl}" } }, default: here/small }
agents:
  cheap: { model: here/cheap, aliases: [haiku], cost: 0.1, intelligence: 0.1 }
  clever: { model: here/clever, cost: 0.9, intelligence: 0.9 }
permissions: { allow: ["sampling/ask(server: asking)"] }
`)
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('sampling__ask')
  expect(await use(client, 'may')).toEqual({})
  expect(await use(client, 'ask', { systemPrompt: 'Be kind.', temperature: 0.5 })).toEqual({
    role: 'assistant',
    content: { type: 'text', text: 'Be kind. How are you?' },
    model: 'here/small',
    stopReason: 'endTurn',
  })
  const preferring = async (modelPreferences: JsonObject) =>
    (await use(client, 'ask', { modelPreferences })).model
  expect(await preferring({ hints: [{ name: 'haiku' }] })).toBe('here/cheap')
  expect(await preferring({ costPriority: 1 })).toBe('here/cheap')
  expect(await preferring({ costPriority: 0.1, intelligencePriority: 1 })).toBe('here/clever')
})

test('without a rule somebody is asked first, and a deny is told to the server', async () => {
  await using endpoint = await openModelEndpoint(() => 'fine')
  const models = `models: { providers: { here: { baseUrl: "${endpoint.baseUrl}" } }, default: here/small }\n`
  await using place = await openPlace(asking + models)
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const answer = use(client, 'ask')
  const [, id = ''] = await mobius.said(/call sampling\/ask .*mobius approve (\w+)/)
  expect(endpoint.asked).toEqual([])
  await using operator = await connectClient(`${mobius.origin}/mcp/s/meta`, {
    authorization: `Bearer ${(await findRunning(join(place.folder, 'state')))?.operatorKey}`,
  })
  await operator.callTool({ name: 'answer_question', arguments: { id, decision: 'approve' } })
  expect(await answer).toMatchObject({ content: { text: 'fine' } })
  await place.write(`${asking}${models}permissions: { deny: [sampling] }\n`)
  await mobius.said(/Configuration: rule /)
  expect(await use(client, 'ask')).toMatchObject({
    message: expect.stringContaining('sampling/ask was refused: rule deny sampling'),
  })
})

test('without a model the question is the client’s, and a client that cannot answer is not asked', async () => {
  await using place = await openPlace(asking)
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  expect(await use(client, 'may')).toBeNull()
})

test('of equal models the first is chosen, and of none none', () => {
  const agent = (name: string, model?: string) =>
    ({ name, ...(model && { model }), sampling: { aliases: [], cost: 1 } }) as never
  const models = { providers: {}, aliases: {}, prices: {} }
  const agents = [agent('a', 'x/one'), agent('b', 'x/two'), agent('c')]
  expect(chooseModel({ agents, models }, { costPriority: 1 })).toBe('x/one')
  expect(chooseModel({ agents, models }, { hints: [{ name: 'two' }] })).toBe('x/two')
  expect(chooseModel({ agents, models }, undefined)).toBe('x/one')
  expect(chooseModel({ agents: [agent('c')], models }, { costPriority: 1 })).toBeUndefined()
})
