import { expect, test } from 'vitest'
import { asyncMeta } from '../src/index.ts'
import { createGate, openHouse, settle } from './support/house.ts'
import { lastResults, type Script, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

const asks: Script = (request, { name }) => {
  const results = lastResults(request)
  if (results) return results[0]?.split('\n')[0] ?? ''
  return name === 'boss'
    ? { calls: [['chat-with-main', { prompt: 'ask' }]] }
    : { calls: [['ask', {}]] }
}

const main = { name: 'main', tools: ['box'] }
const boss = { name: 'boss', model: 'boss', tools: ['main'] }
const blue = { action: 'accept', content: { colour: 'blue' } }

test('a question of a tool in a sub-agent comes to the client that waits', async () => {
  const models = scriptModels(asks)
  const box = createToolBox()
  await using house = await openHouse({ agents: [boss, main], models, servers: [box.definition] })
  await using client = await house.client({ answers: { 'elicitation/create': () => blue } })
  expect(await client.say('boss', 'go')).toBe('accept blue')
  const { entries } = await house.state.questions.list()
  expect(entries.map(({ state }) => state)).toEqual(['answered', 'answered'])
})

test('a question is answered from elsewhere: whoever else was asked is told', async () => {
  const models = scriptModels(asks)
  const box = createToolBox()
  const gate = createGate()
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client({ answers: { 'elicitation/create': () => gate.wait() } })
  await client.session.request('resources/subscribe', { uri: 'chat://elicitation' })
  const chat = client.say('main', 'go')
  await gate.arrived
  const [question] = await client.read('chat://elicitation')
  expect(question).toMatchObject({ params: { message: 'Which colour?' } })
  const id = String(question?.id)
  expect(await house.agents.answer({ id: 'somebody' }, id, blue)).toBe(false)
  expect(await house.agents.answer({ id: 'local' }, id, blue)).toBe(true)
  expect(await chat).toBe('accept blue')
  await settle()
  expect(client.received('notifications/cancelled')).toHaveLength(1)
  expect(await client.read('chat://elicitation')).toEqual([])
  expect(client.received('notifications/resources/updated')).toEqual(
    Array(2).fill({ uri: 'chat://elicitation' }),
  )
})

test('a question is void when its turn is stopped', async () => {
  const models = scriptModels(asks)
  const box = createToolBox()
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  await client.chat('main', 'go', { _meta: { [asyncMeta]: true } })
  await expect.poll(async () => (await client.read('chat://elicitation')).length).toBe(1)
  const [thread] = (await house.state.threads.list({ id: 'local' })).entries
  house.agents.stop({ id: 'local' }, thread?.id ?? '')
  await expect.poll(async () => (await client.read('chat://elicitation')).length).toBe(0)
  const { entries } = await house.state.questions.list()
  expect(entries[0]).toMatchObject({ state: 'void' })
})
