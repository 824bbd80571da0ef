import { compileHooks, type Hooks, noHooks } from '@mobius-mcp/hooks'
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

test('instructions that are a function are asked for whoever chats, at the beginning of each turn', async () => {
  const models = scriptModels((request) => request.instructions ?? 'none')
  const known: Record<string, string> = { local: 'Be brief.' }
  const main = {
    name: 'main',
    instructions: ({ id }: { id: string }) => {
      const text = known[id]
      if (text === undefined) throw new Error(`Nobody has said how to speak with ${id}`)
      return text
    },
  }
  await using house = await openHouse({ agents: [main], models })
  await using client = await house.client()
  await using other = await house.client({ principal: { id: 'anna', scopes: [] } })
  expect(await client.say('main', 'one')).toBe('Be brief.')
  known.local = 'Be long.'
  expect(await client.say('main', 'two')).toBe('Be long.')
  expect(await other.say('main', 'one')).toContain('Nobody has said how to speak with anna')
})

test('what a person may begin with, and what an agent looks like, stands with its tool', async () => {
  const icons = [{ src: 'https://example.com/a.png', theme: 'dark' as const }]
  const main = { name: 'main', icons, starterMessages: ['Hello', 'What is new?'] }
  await using house = await openHouse({ agents: [main], models: scriptModels(() => 'x') })
  await using client = await house.client()
  const { tools } = await client.session.request('tools/list', {})
  expect(tools).toMatchObject([
    { icons, _meta: { 'mobius-mcp.dev/starters': ['Hello', 'What is new?'] } },
  ])
})

test('a turn ends with the hooks that it began with', async () => {
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const models = scriptModels((request) =>
    lastResults(request) ? 'done' : { calls: [['wait', {}]] },
  )
  const refusing = compileHooks([
    {
      id: 'no',
      point: 'request',
      params: {},
      target: { server: 'box', tool: 'fail' },
      mutate: false,
    },
  ])
  let hooks: Hooks = noHooks
  const options = {
    agents: [{ name: 'main', tools: ['box'] }],
    models,
    servers: [box.definition],
    get hooks() {
      return hooks
    },
  }
  await using house = await openHouse(options)
  await using client = await house.client()
  const first = client.say('main', 'one')
  await gate.arrived
  hooks = refusing
  gate.open()
  expect(await first).toBe('done')
  expect(await client.say('main', 'two')).toContain('it broke')
})
