import { expect, test } from 'vitest'
import { threadMeta } from '../src/index.ts'
import { openHouse } from './support/house.ts'
import { callsWhatIsSaid, lastSaid, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

test('a chat calls a tool and says what came of it', async () => {
  const models = scriptModels(callsWhatIsSaid)
  const box = createToolBox()
  const main = { name: 'main', instructions: 'Be brief.', tools: ['box'] }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  expect(await client.say('main', 'add {"a":1,"b":2}')).toBe('It said: 3')
  expect(box.made).toEqual(['add 1 2'])
  expect(models.requests[0]?.instructions).toBe('Be brief.')
  expect(models.requests[0]?.tools?.map(({ name }) => name)).toEqual([
    'add',
    'write',
    'wait',
    'large',
    'ask',
    'fail',
    'read_resource',
  ])
})

test('the result names the thread, and a second chat goes on with it', async () => {
  const models = scriptModels(
    ({ messages }) => `${messages.filter(({ role }) => role === 'user').length} said`,
  )
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  await using other = await house.client()
  const first = await client.chat('main', 'one')
  const second = await client.chat('main', 'two')
  expect(first._meta).toMatchObject({ [threadMeta]: expect.any(String) })
  const thread = (first._meta as Record<string, unknown>)[threadMeta]
  expect(second).toMatchObject({ content: [{ text: '2 said' }], _meta: { [threadMeta]: thread } })
  expect(await other.say('main', 'one')).toBe('1 said')
  expect(await other.say('main', 'three', { thread })).toBe('3 said')
})

test('a thread of somebody else, or with another agent, is not there', async () => {
  const models = scriptModels(() => 'hello')
  await using house = await openHouse({ agents: [{ name: 'main' }, { name: 'other' }], models })
  const ann = await house.client({ principal: { id: 'ann', issuer: 'i', scopes: [] } })
  const bob = await house.client({ principal: { id: 'bob', issuer: 'i', scopes: [] } })
  const { _meta } = await ann.chat('main', 'hi')
  const thread = (_meta as Record<string, unknown>)[threadMeta] as string
  expect(await bob.say('main', 'hi', { thread })).toContain(`There is no thread ${thread}`)
  expect(await ann.say('other', 'hi', { thread })).toContain(
    'it is one with the agent "main"; go on there with chat-with-main',
  )
  await expect(bob.read(`chat://threads/${thread}/history`)).rejects.toThrow('not found')
})

test('instructions may be a prompt of a server', async () => {
  const models = scriptModels(() => 'yes')
  const box = createToolBox()
  const instructions = { server: 'box', prompt: 'manner', arguments: { who: 'cats' } }
  const main = { name: 'main', instructions }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  await using client = await house.client()
  expect(await client.say('main', 'hello')).toBe('yes')
  expect(models.requests[0]?.instructions).toBe('Be kind to cats.')
})

test('rules and hooks see an agent where it calls', async () => {
  const models = scriptModels(callsWhatIsSaid)
  const box = createToolBox()
  await using house = await openHouse({
    agents: [{ name: 'main', tools: ['box'] }],
    models,
    servers: [box.definition],
    service: {
      authorize: ({ origin, name }) =>
        origin.kind === 'agent' && name === 'write'
          ? { decision: 'deny', rule: 'no writing' }
          : { decision: 'allow' },
    },
  })
  await using client = await house.client()
  expect(await client.say('main', 'write {"text":"x"}')).toContain('no writing')
  expect(box.made).toEqual([])
  const event = house.events.find(({ name }) => name === 'write')
  expect(event).toMatchObject({
    outcome: 'denied',
    origin: { kind: 'agent', name: 'main', cause: { kind: 'client' } },
    depth: 1,
  })
  const own = house.events.find(({ name }) => name === 'chat-with-main')
  expect(event?.parent).toBe(own?.id)
  expect(event?.root).not.toBe(own?.root)
})

test('a resource can be read, of the servers whose tools the agent has', async () => {
  const models = scriptModels(callsWhatIsSaid)
  const box = createToolBox()
  const secret = { ...createToolBox().definition, name: 'secret' }
  const main = { name: 'main', tools: ['box'] }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition, secret] })
  await using client = await house.client()
  expect(await client.say('main', 'read_resource {"uri":"box://inside"}')).toBe(
    'It said: what is in the box',
  )
  expect(
    await client.say('main', 'read_resource {"uri":"box://inside","server":"secret"}'),
  ).toMatchInlineSnapshot(
    `"It said: failed: There is no server "secret" here whose resources may be read. There are: box."`,
  )
})

test('the thread gets a title of the small model, once', async () => {
  const models = scriptModels((request) => lastSaid(request))
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  await client.say('main', 'one')
  await client.say('main', 'two')
  await expect
    .poll(async () => (await house.state.threads.list({ id: 'local' })).entries[0]?.title)
    .toBe('A title')
  expect(models.titles).toHaveLength(1)
})

test('prompts and resources of its configuration are offered by its server', async () => {
  const models = scriptModels(() => 'yes')
  const box = createToolBox()
  const main = { name: 'main', prompts: ['box/manner:style'], resources: ['box/box://inside'] }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  const caller = house.service
  const { entries } = await caller.list('prompts', ['main'])
  expect(entries.map(({ value }) => value)).toEqual([
    { name: 'style', description: 'How to behave.', arguments: [{ name: 'who', required: true }] },
  ])
  const got = await caller.request('main', 'prompts/get', {
    name: 'style',
    arguments: { who: 'me' },
  })
  expect(got.messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'Be kind to me.' } },
  ])
  const read = await caller.request('main', 'resources/read', { uri: 'box://inside' })
  expect(read.contents).toMatchObject([{ text: 'what is in the box' }])
})

test('a model that is not configured is named, and the question is kept', async () => {
  const { createModels } = await import('@mobius-mcp/models')
  const models = createModels()
  await using house = await openHouse({ agents: [{ name: 'main', model: 'nobody/none' }], models })
  await using client = await house.client()
  expect(await client.say('main', 'hello')).toContain('received "nobody/none"')
  expect((await client.read('chat://history')).map(({ type }) => type)).toEqual(['user', 'end'])
})
