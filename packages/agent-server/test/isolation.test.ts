import type { CallResult, JsonObject } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { threadMeta } from '../src/index.ts'
import { openHouse } from './support/house.ts'
import { callsWhatIsSaid, lastSaid, scriptModels } from './support/scripted-model.ts'

const threadOf = ({ _meta }: CallResult) => String((_meta as JsonObject)[threadMeta])

test('an agent reaches no conversation of its person but its own and those that it began', async () => {
  const models = scriptModels((request, about) =>
    about.name === 'helper' ? `re: ${lastSaid(request)}` : callsWhatIsSaid(request, about),
  )
  const boss = { name: 'boss', model: 'boss', tools: ['helper'] }
  const helper = { name: 'helper', model: 'helper' }
  await using house = await openHouse({ agents: [boss, helper], models })
  await using client = await house.client()
  const secret = threadOf(await client.chat('helper', 'my secret'))
  const chat = JSON.stringify({ prompt: 'what was that?', thread: secret })
  expect(await client.say('boss', `chat-with-helper ${chat}`)).toContain(
    `There is no thread ${secret} with the agent "helper"`,
  )
  const uris = ['history', 'progress', 'items/1'].map((part) => `chat://threads/${secret}/${part}`)
  for (const uri of [...uris, 'chat://threads', `chat://threads/${secret}`]) {
    const read = await client.say('boss', `read_resource ${JSON.stringify({ uri })}`)
    expect(read).not.toContain('my secret')
    expect(read).not.toContain('A title')
  }
  expect(await client.say('boss', `chat-with-helper {"prompt":"hello"}`)).toContain('re: hello')
  const { entries } = await house.state.threads.list({ id: 'local' }, { agent: 'helper' })
  const child = entries.find(({ parent }) => parent !== undefined)
  const own = `read_resource {"uri":"chat://threads/${child?.id}/history"}`
  expect(await client.say('boss', own)).toContain('re: hello')
})

test('a deleted thread is gone, and one of the same session begins anew', async () => {
  const models = scriptModels(
    ({ messages }) => `${messages.filter(({ role }) => role === 'user').length} said`,
  )
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  const thread = threadOf(await client.chat('main', 'one'))
  await client.session.request('resources/subscribe', { uri: 'chat://history' })
  expect(await house.agents.delete({ id: 'somebody' }, thread)).toBe(false)
  expect(await house.agents.delete({ id: 'local' }, thread)).toBe(true)
  expect(await house.agents.delete({ id: 'local' }, thread)).toBe(false)
  expect(await client.read('chat://history')).toEqual([])
  expect(client.received('notifications/resources/updated')).toHaveLength(1)
  expect(await client.say('main', 'two')).toBe('1 said')
  expect(await client.read('chat://history')).toHaveLength(3)
})

test('threads with an agent can be listed and searched', async () => {
  const models = scriptModels(() => 'hello')
  await using house = await openHouse({ agents: [{ name: 'main' }, { name: 'other' }], models })
  await using client = await house.client()
  const thread = threadOf(await client.chat('main', 'one'))
  await client.chat('other', 'two')
  const list = () => client.read('mobius:///main/chat%3A%2F%2Fthreads')
  await expect.poll(async () => (await list())[0]?.title).toBe('A title')
  expect(await list()).toMatchObject([{ id: thread, agent: 'main', running: false }])
})
