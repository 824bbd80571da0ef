import {
  type JsonObject,
  type MessageHandler,
  type Origin,
  openInProcess,
  type Principal,
  ProtocolError,
  refusingCaller,
} from '@mobius-mcp/protocol'
import { createTestClock } from '@mobius-mcp/testing'
import { expect, test } from 'vitest'
import { createMetaServer } from '../src/index.ts'
import { createChats, type RecordedChats } from './support/chats.ts'
import { createWorld } from './support/world.ts'

const anna: Principal = { id: 'anna', issuer: 'keys', scopes: [] }
const bob: Principal = { id: 'bob', issuer: 'keys', scopes: [] }
const operator: Principal = { id: 'olga', issuer: 'keys', scopes: ['operator'] }

test('without chats there is nobody to chat with', async () => {
  const { open } = await createStage(undefined)
  const { tools } = await open(operator).request('tools/list')
  expect((tools as JsonObject[]).map(({ name }) => name)).toEqual(['list_servers'])
})

test('each tool says what it does: which only read, and which destroys', async () => {
  const { open } = await createStage(createChats())
  const { tools } = await open(anna).request('tools/list')
  const hints = (tools as JsonObject[]).map(({ name, annotations = {}, title, outputSchema }) => {
    expect(title).toMatch(/^[A-Z]/)
    expect(outputSchema).toMatchObject({ type: 'object' })
    const { readOnlyHint, destructiveHint = true } = annotations as JsonObject
    return `${name}: ${readOnlyHint ? 'reads' : destructiveHint ? 'destroys' : 'changes'}`
  })
  expect(hints).toEqual([
    'list_servers: reads',
    'list_agents: reads',
    'list_chats: reads',
    'update_chat: changes',
    'stop_chat: changes',
    'delete_chat: destroys',
    'list_questions: reads',
    'answer_question: changes',
  ])
})

test('agents are listed, the default one first, and told of when they change', async () => {
  const chats = createChats()
  const { open } = await createStage(chats)
  const client = open(anna)
  const agents = [
    {
      name: 'main',
      title: 'Mainly',
      starterMessages: ['Begin'],
      icons: [{ src: 'https://example.com/i.svg', theme: 'dark' }],
      entrypoint: true,
      default: true,
    },
    { name: 'other', description: 'Another', entrypoint: false, default: false },
  ]
  expect(await client.call('list_agents')).toEqual({ agents })
  expect(await client.read('agent:///all')).toEqual({ agents })
  await client.request('resources/subscribe', { uri: 'agent:///all' })
  chats.tellOfAgents()
  await expect.poll(() => client.updates).toEqual(['agent:///all'])
})

test('chats are listed page by page and searched, each for those of whoever asks', async () => {
  const { open } = await createStage(createChats())
  const client = open(anna)
  const first = {
    id: 'a1',
    agent: 'main',
    title: 'About trees',
    createdAt: '1970-01-01T00:00:00.001Z',
    updatedAt: '1970-01-01T00:00:00.002Z',
    running: true,
  }
  const page = await client.call('list_chats', { limit: 1 })
  expect(page).toEqual({ chats: [first], next: '1' })
  const rest = await client.call('list_chats', { limit: 1, cursor: '1' })
  expect(rest).toMatchObject({ chats: [{ id: 'a2' }] })
  expect(rest).not.toHaveProperty('next')
  expect(await client.call('list_chats', { search: 'TREES' })).toEqual({ chats: [first] })
  expect(await client.call('list_chats', { agent: 'other' })).toMatchObject({
    chats: [{ id: 'a2' }],
  })
  expect(await open(bob).call('list_chats')).toMatchObject({ chats: [{ id: 'b1' }] })
  expect(await open(operator).call('list_chats')).toEqual({ chats: [] })
})

test.each([
  [{ cursor: 'made up' }, /not given out here/],
  [{ limit: 0 }, /limit/],
  [{ limit: 1001 }, /limit/],
])('list_chats with %j is the caller’s mistake', async (args, why) => {
  const { open } = await createStage(createChats())
  const refused = open(anna).request('tools/call', { name: 'list_chats', arguments: args })
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_PARAMS', message: why })
})

test('a chat is renamed, stopped and deleted by whoever has it', async () => {
  const chats = createChats()
  const { open } = await createStage(chats)
  const client = open(anna)
  const renamed = await client.call('update_chat', { id: 'a1', title: '  Birches ' })
  expect(renamed).toMatchObject({ id: 'a1', title: 'Birches' })
  expect(await client.call('stop_chat', { id: 'a1' })).toEqual({ id: 'a1', stopped: true })
  expect(await client.call('stop_chat', { id: 'a2' })).toEqual({ id: 'a2', stopped: false })
  expect(await client.call('delete_chat', { id: 'a1' })).toEqual({ id: 'a1' })
  expect(await client.call('list_chats')).toMatchObject({ chats: [{ id: 'a2' }] })
  expect(chats.done).toEqual(['rename a1', 'stop a1', 'stop a2', 'delete a1'])
})

test.each([
  ['update_chat', { id: 'a1', title: 'mine' }],
  ['stop_chat', { id: 'a1' }],
  ['delete_chat', { id: 'a1' }],
])('%s of somebody else’s chat finds none, for operators too', async (name, args) => {
  const chats = createChats()
  const { open } = await createStage(chats)
  const none = { isError: true, content: [{ text: /^You have no chat with the id "a1"/ }] }
  for (const other of [bob, operator, { ...anna, issuer: 'others' }]) {
    const result = await open(other).request('tools/call', { name, arguments: args })
    expect(result).toMatchObject(none)
  }
  expect(chats.done).toEqual([])
})

test.each([
  ['list_chats', {}],
  ['update_chat', { id: 'a1', title: 'x' }],
  ['stop_chat', { id: 'a1' }],
  ['delete_chat', { id: 'a1' }],
  ['answer_question', { id: 'f1', action: 'accept' }],
])('%s is refused to what acts in somebody’s name', async (name, args) => {
  const chats = createChats()
  const { open } = await createStage(chats)
  const agent: Origin = { kind: 'agent', name: 'main' }
  const result = await open(anna, agent).request('tools/call', { name, arguments: args })
  expect(result).toMatchObject({ isError: true, content: [{ text: /needs a person/ }] })
  await expect(open(anna, agent).read('thread:///recent')).rejects.toThrow()
  expect(await open(anna, agent).call('list_questions')).toEqual({ questions: [] })
  expect(chats.done).toEqual([])
})

test('whoever watches recent conversations is told of their own, four times a second at most', async () => {
  const chats = createChats()
  const clock = createTestClock()
  const { open } = await createStage(chats, clock)
  const [own, foreign] = [open(anna), open(bob)]
  for (const client of [own, foreign]) {
    await client.request('resources/subscribe', { uri: 'thread:///recent' })
  }
  for (let times = 0; times < 5; times += 1) chats.change(anna)
  await clock.advance(250)
  expect(own.updates).toEqual(['thread:///recent'])
  expect(foreign.updates).toEqual([])
  expect(await own.read('thread:///recent')).toMatchObject({ chats: [{ id: 'a1' }, { id: 'a2' }] })
  for (const client of [own, foreign]) {
    await client.request('resources/unsubscribe', { uri: 'thread:///recent' })
  }
  expect(chats.watchers).toBe(0)
})

test('forms that wait are listed, answered and told of, each for their own principal', async () => {
  const chats = createChats()
  const { open } = await createStage(chats)
  const client = open(anna)
  const params = { message: 'Which size?', requestedSchema: { type: 'object', properties: {} } }
  const form = { kind: 'form', id: 'f1', thread: 'a1', askedAt: '1970-01-01T00:00:00.003Z', params }
  expect(await client.call('list_questions')).toEqual({ questions: [form] })
  expect(await client.read('question:///open')).toEqual({ questions: [form] })
  expect(await open(operator).call('list_questions')).toEqual({ questions: [] })
  await client.request('resources/subscribe', { uri: 'question:///open' })
  chats.change(anna)
  await expect.poll(() => client.updates).toEqual(['question:///open'])
  const answer = { id: 'f1', action: 'accept', content: { size: 'l' } }
  const foreign = await open(operator).request('tools/call', {
    ...{ name: 'answer_question', arguments: answer },
  })
  expect(foreign).toMatchObject({ isError: true, content: [{ text: /No open question of yours/ }] })
  expect(await client.call('answer_question', answer)).toEqual({ id: 'f1', action: 'accept' })
  expect(chats.done).toEqual(['answer f1 {"action":"accept","content":{"size":"l"}}'])
})

test.each([[{ id: 'f1' }], [{ id: 'f1', action: 'accept', decision: 'approve' }]])(
  'answer_question with %j is the caller’s mistake',
  async (args) => {
    const { open } = await createStage(createChats())
    const refused = open(anna).request('tools/call', { name: 'answer_question', arguments: args })
    await expect(refused).rejects.toMatchObject({
      ...{ code: 'INVALID_PARAMS', message: /expected either "decision".*or "action"/ },
    })
  },
)

async function createStage(chats: RecordedChats | undefined, clock = createTestClock()) {
  const { dependencies } = createWorld()
  const definition = createMetaServer({ ...dependencies, chats, clock })
  const handler: MessageHandler = await definition.create({
    folder: '.',
    closing: new AbortController().signal,
    callerFor: () => refusingCaller,
  })
  const open = (principal: Principal, origin: Origin = { kind: 'client' }) => {
    const updates: unknown[] = []
    const client: MessageHandler = {
      onMessage({ method, params }) {
        if (method === 'notifications/resources/updated') updates.push(params?.uri)
      },
    }
    const session = openInProcess(handler, { client, principal, crossing: 'frozen' })
    const scope = {
      principal,
      call: { id: 'c1', origin, depth: 0 },
      callerFor: () => refusingCaller,
      notify: () => {},
      ask: () => Promise.reject(new ProtocolError('METHOD_NOT_FOUND', 'nobody')),
    }
    const request = (method: string, params: JsonObject = {}) =>
      session.request(method, params, { scope })
    return {
      updates,
      request,
      async call(name: string, args: JsonObject = {}) {
        return (await request('tools/call', { name, arguments: args })).structuredContent
      },
      async read(uri: string) {
        const { contents } = await request('resources/read', { uri })
        const [content] = contents as { text: string }[]
        return JSON.parse(content?.text ?? '')
      },
    }
  }
  return { open }
}
