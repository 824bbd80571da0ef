import { join } from 'node:path'
import { openStore } from '@mobius-mcp/store'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect, test } from 'vitest'
import { chat, readJson, readThread } from './support/chat.ts'
import { connectClient } from './support/client.ts'
import { runMobius } from './support/mobius.ts'
import { asking, openPlace, type Place } from './support/place.ts'

const allowed = 'permissions: { allow: [effects] }\n'

test('with nothing configured, the default agent calls tools, and its thread outlives a kill in the middle of a turn', async () => {
  await using place = await openPlace(allowed)
  let thread: string
  {
    await using mobius = await place.serve()
    await using client = await connectClient(`${mobius.origin}/mcp`)
    const first = await chat(client, '/call effects/note {"n":1}')
    expect(first).toMatchObject({ text: 'did note {"n":1}', isError: false })
    thread = first.thread
    const broken = chat(client, '/call effects/hold').catch(() => 'broken off')
    await expect.poll(place.effects).toEqual(['note {"n":1}', 'hold {}'])
    mobius.child.kill('SIGKILL')
    await mobius.ended()
    expect(await broken).toBe('broken off')
  }
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  expect(await readJson(client, 'chat://threads')).toMatchObject([
    { id: thread, agent: 'assistant' },
  ])
  const interrupted =
    'hold failed: The call was interrupted when the process that made it ended. Nobody knows whether it was done: find out before you make it again.'
  const before = [
    'user: /call effects/note {"n":1}',
    'assistant: calls note',
    'note: did note {"n":1}',
    'assistant: did note {"n":1}',
    'end: done',
    'user: /call effects/hold',
    'assistant: calls hold',
    `hold: ${interrupted.replace('hold failed: ', '')}`,
    `assistant: ${interrupted}`,
    'end: done',
  ]
  await expect.poll(() => readThread(client, thread)).toEqual(before)
  const next = await chat(client, '/call effects/note {"n":2}', { thread })
  expect(next).toEqual({ text: 'did note {"n":2}', thread, isError: false })
  expect((await readThread(client, thread)).slice(before.length)).toEqual([
    'user: /call effects/note {"n":2}',
    'assistant: calls note',
    'note: did note {"n":2}',
    'assistant: did note {"n":2}',
    'end: done',
  ])
  expect(await place.effects()).toEqual(['note {"n":1}', 'hold {}', 'note {"n":2}'])
})

test('what the default agent does needs a rule or an approval, and an approval outlives a kill', async () => {
  await using place = await openPlace('permissions: { ask: [effects/note] }\n')
  const beside = (...args: string[]) =>
    runMobius(args, { cwd: place.folder, env: { MOBIUS_STATE: join(place.folder, 'state') } })
  const ids = async () => {
    const { stdout } = await beside('questions', '--json')
    return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)
  }
  let asked: string[]
  {
    await using mobius = await place.serve()
    await using client = await connectClient(`${mobius.origin}/mcp`)
    const refused = await chat(client, '/call effects/hold')
    expect(refused.text).toContain('effects/hold was refused')
    expect(refused.text).toContain('default: what an agent does needs an allow rule')
    chat(client, '/call effects/note {"n":1}').catch(() => {})
    await expect.poll(ids).toHaveLength(1)
    asked = await ids()
    mobius.child.kill('SIGKILL')
    await mobius.ended()
  }
  await using mobius = await place.serve()
  await expect.poll(ids).toEqual(asked)
  expect(await place.effects()).toEqual([])
  expect((await beside('approve', String(asked[0]))).code).toBe(0)
  await expect.poll(place.effects).toEqual(['note {"n":1}'])
  await using client = await connectClient(`${mobius.origin}/mcp`)
  const threads = await readJson(client, 'chat://threads')
  const lines = () => readThread(client, String(threads[0]?.id))
  await expect.poll(async () => (await lines()).at(-1)).toBe('end: done')
  expect((await lines()).at(-2)).toBe('assistant: did note {"n":1}')
})

/** What was ever asked, from the database. */
async function questionsOf(place: Place) {
  await using store = await openStore(join(place.folder, 'state/mobius.db'))
  return (await store.questions.list()).entries
}

/** Begins a chat that goes on by itself, and gives its thread. */
async function begin(client: Client, prompt: string): Promise<string> {
  const _meta = { 'mobius-mcp.dev/async': true }
  const params = { name: 'chat-with-assistant', arguments: { prompt }, _meta }
  const result = await client.callTool(params)
  return String(result._meta?.['mobius-mcp.dev/thread'])
}

test('a question of a server that has died is void, and its step counts as interrupted', async () => {
  await using place = await openPlace(`${asking}permissions: { allow: [asking] }\n`)
  const states = async () => (await questionsOf(place)).map(({ state }) => state).toSorted()
  let thread: string
  {
    await using mobius = await place.serve()
    await using client = await connectClient(`${mobius.origin}/mcp`)
    // The server dies by itself.
    const left = await begin(client, '/call asking/leave')
    await expect.poll(states).toEqual(['void'])
    await expect.poll(async () => (await readThread(client, left)).at(-1)).toBe('end: done')
    expect((await readThread(client, left)).at(-2)).toMatch(/asking.*exited with code 1/)
    // The server dies with the gateway.
    await using other = await connectClient(`${mobius.origin}/mcp`)
    thread = await begin(other, '/call asking/order')
    await expect.poll(states).toEqual(['open', 'void'])
    mobius.child.kill('SIGKILL')
    await mobius.ended()
  }
  await using mobius = await place.serve()
  await expect.poll(states).toEqual(['void', 'void'])
  await using client = await connectClient(`${mobius.origin}/mcp`)
  await expect.poll(async () => (await readThread(client, thread)).at(-1)).toBe('end: done')
  expect((await readThread(client, thread)).at(-2)).toContain('The call was interrupted')
  expect(await readJson(client, `chat://threads/${thread}/elicitation`)).toEqual([])
})

test('an approval that nobody can wait for any more is void', async () => {
  await using place = await openPlace('permissions: { ask: [effects/note] }\n')
  {
    await using mobius = await place.serve()
    await using client = await connectClient(`${mobius.origin}/mcp`)
    client.callTool({ name: 'effects__note' }).catch(() => {})
    await mobius.said(/call effects\/note/)
    mobius.child.kill('SIGKILL')
    await mobius.ended()
  }
  await using _mobius = await place.serve()
  await expect
    .poll(() => questionsOf(place))
    .toMatchObject([{ method: 'approval', state: 'void', reason: 'what asked is gone' }])
  expect(await place.effects()).toEqual([])
})

test('/mcp/chat is the door of the agents alone, and /mcp/s that of one', async () => {
  await using place = await openPlace('')
  await using mobius = await place.serve()
  for (const path of ['/mcp/chat', '/mcp/s/assistant']) {
    await using client = await connectClient(`${mobius.origin}${path}`)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['chat-with-assistant'])
    expect((await chat(client, '/tools')).text).toContain('effects/note')
  }
})
