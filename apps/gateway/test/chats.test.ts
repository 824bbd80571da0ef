import type { JsonObject } from '@mobius-mcp/protocol'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test, vi } from 'vitest'
import { chat } from './support/chat.ts'
import { connectClient } from './support/client.ts'
import { asking, openPlace } from './support/place.ts'

vi.setConfig({ testTimeout: 60_000 })

const keyOf = (name: string) => `${name}-${'0123456789abcdef'.repeat(3)}`

/** A gateway with anna, bob and an operator, each with keys of their own. */
async function openHouse(more: string) {
  const keys = ['anna', 'bob', 'olga'].map((name) => {
    const scopes = name === 'olga' ? ', scopes: [operator]' : ''
    return `{ name: ${name}, key: ${keyOf(name)}${scopes} }`
  })
  const publish = '[meta, assistant, asking, effects]'
  const place = await openPlace(
    `${asking}publish: ${publish}\nhttp: { keys: [${keys.join(', ')}] }\n${more}`,
  )
  const mobius = await place.serve()
  return {
    place,
    come: (name: string) =>
      connectClient(`${mobius.origin}/mcp`, { authorization: `Bearer ${keyOf(name)}` }),
    async [Symbol.asyncDispose]() {
      await mobius[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Calls a tool of the meta server. */
async function meta(client: Client, name: string, args: JsonObject = {}) {
  const result = await client.callTool({ name: `meta__${name}`, arguments: args })
  const [{ text = '' } = {}] = result.content as { text?: string }[]
  return result.isError === true ? text : (result.structuredContent as JsonObject)
}

async function idsOf(client: Client): Promise<unknown[]> {
  const { chats } = (await meta(client, 'list_chats')) as { chats: JsonObject[] }
  return chats.map(({ id }) => id)
}

async function questions(client: Client): Promise<JsonObject[]> {
  return ((await meta(client, 'list_questions')) as { questions: JsonObject[] }).questions
}

test('nobody sees or touches another’s conversations, operators included; whoever has one is told of it', async () => {
  await using house = await openHouse('permissions: { allow: [effects] }\n')
  await using anna = await house.come('anna')
  await using bob = await house.come('bob')
  await using olga = await house.come('olga')
  const updates = { anna: 0, bob: 0 }
  for (const [name, client] of Object.entries({ anna, bob })) {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => {
      updates[name as 'anna' | 'bob'] += 1
    })
    await client.subscribeResource({ uri: 'thread:///recent' })
  }
  const { thread } = await chat(anna, '/tools')
  await expect.poll(() => updates.anna).toBeGreaterThan(0)
  expect(await idsOf(anna)).toEqual([thread])
  for (const other of [bob, olga]) {
    expect(await idsOf(other)).toEqual([])
    for (const [name, args] of [
      ['update_chat', { id: thread, title: 'mine' }],
      ['stop_chat', { id: thread }],
      ['delete_chat', { id: thread }],
    ] as const) {
      expect(await meta(other, name, args)).toMatch(/^You have no chat with the id/)
    }
  }
  expect(await meta(anna, 'update_chat', { id: thread, title: 'Tools' })).toMatchObject({
    title: 'Tools',
    running: false,
  })
  const holding = chat(anna, '/call effects/hold', { thread })
  await expect.poll(house.place.effects).toEqual(['hold {}'])
  expect(await meta(anna, 'list_chats')).toMatchObject({ chats: [{ running: true }] })
  expect(await meta(anna, 'stop_chat', { id: thread })).toEqual({ id: thread, stopped: true })
  expect((await holding).text).toContain('[Cancelled: it was stopped.')
  const before = updates.anna
  expect(await meta(anna, 'delete_chat', { id: thread })).toEqual({ id: thread })
  await expect.poll(() => updates.anna).toBeGreaterThan(before)
  expect(await idsOf(anna)).toEqual([])
  expect(updates.bob).toBe(0)
})

test('a form of a thread is answered from another session of the same principal, and from no other', async () => {
  await using house = await openHouse('permissions: { allow: [asking] }\n')
  await using anna = await house.come('anna')
  await using elsewhere = await house.come('anna')
  await using bob = await house.come('bob')
  await using olga = await house.come('olga')
  const asked = chat(anna, '/call asking/order')
  await expect.poll(() => questions(elsewhere)).toMatchObject([{ kind: 'form' }])
  const [form] = await questions(elsewhere)
  const answer = { id: form?.id, action: 'accept', content: { name: 'Ann' } }
  for (const other of [bob, olga]) {
    expect(await questions(other)).toEqual([])
    expect(await meta(other, 'answer_question', answer)).toMatch(/^No open question of yours/)
  }
  expect(await meta(elsewhere, 'answer_question', answer)).toMatchObject({ action: 'accept' })
  expect((await asked).text).toBe('told {"action":"accept","content":{"name":"Ann"}}')
  expect(await questions(elsewhere)).toEqual([])
})

test('an approval in a thread is the operators’ to give, and not by way of a form', async () => {
  await using house = await openHouse('permissions: { ask: [effects] }\n')
  await using anna = await house.come('anna')
  await using second = await house.come('anna')
  await using olga = await house.come('olga')
  const asked = chat(anna, '/call effects/note')
  await expect.poll(() => questions(olga)).toMatchObject([{ kind: 'approval', name: 'note' }])
  const [{ id, thread } = {}] = await questions(second)
  expect(await meta(second, 'answer_question', { id, decision: 'approve' })).toMatch(
    /needs the scope "operator"/,
  )
  const form = { id, action: 'accept', content: { approved: true } }
  expect(await meta(second, 'answer_question', form)).toMatch(/^No open question of yours/)
  expect(await house.place.effects()).toEqual([])
  expect(await idsOf(second)).toEqual([thread])
  expect(await meta(olga, 'answer_question', { id, decision: 'approve' })).toMatchObject({ id })
  expect((await asked).text).toBe('did note {}')
})

test('an agent neither has the tools about conversations, nor could use them', async () => {
  await using house = await openHouse('permissions: { allow: [meta] }\n')
  await using anna = await house.come('anna')
  const { text } = await chat(anna, '/tools')
  expect(text).toContain('meta/list_servers')
  expect(text).toContain('meta/list_agents')
  expect(text).not.toMatch(/chats|_chat|question/)
  await house.place.write(
    `${asking}http: { keys: [{ name: anna, key: ${keyOf('anna')} }] }\npermissions: { allow: [meta] }\nagents: { assistant: { mcpServers: [meta] } }\n`,
  )
  await expect
    .poll(async () => (await chat(anna, '/call meta/list_chats')).text, { timeout: 10_000 })
    .toMatch(/Listing conversations was refused: conversations are for those who have them/)
  const read = await chat(anna, '/read meta thread:///recent')
  expect(read.text).not.toContain('"chats"')
})
