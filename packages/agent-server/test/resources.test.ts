import type { CallResult, JsonObject } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { asyncMeta, cursorMeta, moreMeta, threadMeta } from '../src/index.ts'
import { type ChatClient, createGate, openHouse, settle } from './support/house.ts'
import { lastResults, lastSaid, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

const later = { _meta: { [asyncMeta]: true } }

const threadOf = ({ _meta }: CallResult) => String((_meta as JsonObject)[threadMeta])

/** Reads from a cursor on, and gives the cursor behind. */
async function readOn(client: ChatClient, uri: string) {
  const result = await client.session.request('resources/read', { uri })
  const contents = result.contents as { text: string }[]
  const meta = result._meta as Record<string, unknown>
  const items = contents.map(({ text }) => JSON.parse(text) as Record<string, unknown>)
  return { items, cursor: String(meta[cursorMeta]), more: meta[moreMeta] }
}

test('an asynchronous chat answers at once, is followed, left, and read on from a cursor', async () => {
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const models = scriptModels((request) => {
    const results = lastResults(request)
    return results ? `It ${results.join()}.` : { text: 'One moment. ', calls: [['wait', {}]] }
  })
  const main = { name: 'main', tools: ['box'] }
  await using house = await openHouse({ agents: [main], models, servers: [box.definition] })
  const client = await house.client()
  const begun = await client.chat('main', 'go', later)
  const thread = threadOf(begun)
  const progress = `chat://threads/${thread}/progress`
  expect(begun.content[1]).toMatchObject({ type: 'resource_link', uri: progress })
  await gate.arrived
  const first = await readOn(client, progress)
  expect(first.items[0]).toMatchObject({ state: 'running', thread, agent: 'main' })
  expect(((first.items[0]?.events ?? []) as JsonObject[]).slice(0, 2)).toEqual([
    { type: 'turn-start', turn: expect.any(String) },
    { type: 'text-delta', id: '1', text: 'One moment. ' },
  ])
  const seen = await readOn(client, `chat://threads/${thread}/history`)
  expect(seen.items.map(({ type }) => type)).toEqual(['user', 'assistant'])
  await client.session.close()

  const other = await house.client()
  await other.session.request('resources/subscribe', { uri: progress })
  gate.open()
  await expect.poll(async () => (await readOn(other, progress)).items[0]?.state).toBe('idle')
  const rest = await readOn(other, `${progress}?after=${first.cursor}`)
  expect(rest.items[0]?.events).toEqual([
    { type: 'tool-result', id: 'call-1', name: 'wait', isError: false, text: 'waited' },
    { type: 'text-delta', id: '2', text: 'It waited.' },
    { type: 'turn-end', reason: 'done' },
  ])
  const restOfHistory = await readOn(other, `chat://threads/${thread}/history?after=${seen.cursor}`)
  expect(restOfHistory.items.map(({ type }) => type)).toEqual(['result', 'assistant', 'end'])
  expect(restOfHistory.more).toBe(false)
  const none = await readOn(other, `chat://threads/${thread}/history?after=${restOfHistory.cursor}`)
  expect(none).toEqual({ items: [], cursor: restOfHistory.cursor, more: false })
  await house.clock.advance(50)
  expect(other.received('notifications/resources/updated')).toContainEqual({ uri: progress })
})

test('two clients of one thread are told of the same and see the same', async () => {
  const models = scriptModels((request) => `re: ${lastSaid(request)}`)
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using left = await house.client()
  await using right = await house.client()
  const thread = threadOf(await left.chat('main', 'one'))
  const uri = `chat://threads/${thread}/history`
  await left.session.request('resources/subscribe', { uri: 'chat://history' })
  await right.session.request('resources/subscribe', { uri })
  await settle()
  await right.chat('main', 'two', { thread })
  await settle()
  const updates = (client: ChatClient) => client.received('notifications/resources/updated')
  expect(updates(left)).toEqual(Array(3).fill({ uri: 'chat://history' }))
  expect(updates(right)).toEqual(Array(3).fill({ uri }))
  expect(await left.read('chat://history')).toEqual(await right.read(uri))
  expect(await right.read('chat://history')).toEqual(await left.read(uri))
})

test('somebody else follows nothing', async () => {
  const models = scriptModels(() => 'hello')
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using ann = await house.client({ principal: { id: 'ann', scopes: [] } })
  await using bob = await house.client({ principal: { id: 'bob', scopes: [] } })
  const thread = threadOf(await ann.chat('main', 'one'))
  for (const part of ['history', 'progress', 'elicitation']) {
    await bob.session.request('resources/subscribe', { uri: `chat://threads/${thread}/${part}` })
  }
  await settle()
  await ann.chat('main', 'two')
  await settle()
  expect(bob.received('notifications/resources/updated')).toEqual([])
  await expect(bob.read(`chat://threads/${thread}/progress`)).rejects.toThrow('not found')
  await expect(bob.read(`chat://threads/${thread}`)).rejects.toThrow('not found')
  expect(await ann.read(`chat://threads/${thread}`)).toMatchObject([{ agent: 'main', last: 6 }])
})

test('before anything was said, there is an empty conversation', async () => {
  const models = scriptModels(() => 'hello')
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  expect(await client.read('chat://history')).toEqual([])
  expect(await client.read('chat://progress')).toEqual([])
  expect(await client.read('chat://elicitation')).toEqual([])
})

test('many deltas are one notification, and another when it has been calm', async () => {
  const models = scriptModels(() => 'many '.repeat(1000))
  await using house = await openHouse({ agents: [{ name: 'main' }], models })
  await using client = await house.client()
  await client.session.request('resources/subscribe', { uri: 'chat://progress' })
  await client.chat('main', 'go')
  await house.clock.advance(50)
  await house.clock.advance(50)
  expect(client.received('notifications/resources/updated')).toHaveLength(2)
  expect(client.progress.filter(({ message }) => message === 'many ')).toHaveLength(1000)
})

test('signatures and what a vendor wants back are shown to nobody', async () => {
  const models = scriptModels(() => 'secret')
  const replay = { provider: 'p', metadata: { v: { signature: 'xyz' } } }
  const model = {
    ...models,
    model: (name?: string) => {
      const scripted = models.model(name)
      return {
        name: scripted.name,
        async *stream(...args: Parameters<typeof scripted.stream>) {
          for await (const event of scripted.stream(...args)) {
            if (event.type !== 'finish') yield event
            else {
              const content = [{ type: 'reasoning' as const, text: 'hm', replay }]
              yield { ...event, message: { role: 'assistant' as const, content } }
            }
          }
        },
      }
    },
  }
  await using house = await openHouse({ agents: [{ name: 'main' }], models: model })
  await using client = await house.client()
  await client.chat('main', 'one')
  await client.chat('main', 'two')
  expect(JSON.stringify(await client.read('chat://history'))).not.toContain('xyz')
  expect(JSON.stringify(models.requests[1])).toContain('xyz')
})
