import { expect, test } from 'vitest'
import { createGate, openHouse, settle } from './support/house.ts'
import { lastResults, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

test('a new definition holds from the next turn on, and clients are told', async () => {
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const models = scriptModels((request) =>
    lastResults(request) || request.messages.length > 1
      ? (request.instructions ?? '')
      : { calls: [['wait', {}]] },
  )
  const old = { name: 'main', instructions: 'old', tools: ['box'] }
  await using house = await openHouse({ agents: [old], models, servers: [box.definition] })
  await using client = await house.client()
  const describe = async () => {
    const { tools } = await client.session.request('tools/list', {})
    const all = tools as { name: string; description: string }[]
    return all.find(({ name }) => name === 'chat-with-main')?.description
  }
  expect(await describe()).toBe('Chat with the agent main.')
  const first = client.say('main', 'one')
  await gate.arrived
  house.agents.serve({ name: 'main', description: 'Newer.', instructions: 'new' })
  gate.open()
  expect(await first).toBe('old')
  expect(await client.say('main', 'two')).toBe('new')
  await house.clock.advance(1000)
  await settle()
  expect(client.received('notifications/tools/list_changed')).toHaveLength(1)
  expect(await describe()).toBe('Newer.')
})

test('a turn whose thread is deleted meanwhile ends, and says why', async () => {
  const gate = createGate()
  const models = scriptModels(async () => {
    await gate.wait()
    return 'too late'
  })
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  const chat = client.say('main', 'one')
  await gate.arrived
  const [thread] = (await house.state.threads.list({ id: 'local' })).entries
  await house.state.threads.delete({ id: 'local' }, thread?.id ?? '')
  gate.open()
  expect(await chat).toContain(`There is no thread ${thread?.id}: it was deleted`)
  expect(await house.state.journal.list({ state: 'open' })).toEqual([])
})

test('a chat that waits in line can be stopped too', async () => {
  const gate = createGate<string>()
  const models = scriptModels(() => gate.wait())
  const box = createToolBox()
  const instructions = { server: 'box', prompt: 'manner', arguments: { who: 'cats' } }
  const main = { name: 'main', instructions }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  const first = client.say('main', 'one')
  await gate.arrived
  const second = client.say('main', 'two')
  await settle()
  const [thread] = (await house.state.threads.list({ id: 'local' })).entries
  expect(house.agents.stop({ id: 'local' }, thread?.id ?? '')).toBe(true)
  const stopped = 'failed: [Cancelled: it was stopped. What was done until then is kept.]'
  expect(await Promise.all([first, second])).toEqual([stopped, stopped])
  expect(models.requests).toHaveLength(1)
})
