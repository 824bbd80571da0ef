import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { chat, readJson } from './support/chat.ts'
import { kill, openFixedPlace } from './support/fixed-place.ts'
import { follow } from './support/following-client.ts'

const memory = {
  command: process.execPath,
  args: [join(import.meta.dirname, 'support/memory-server.mjs')],
}
const configuration = { mcpServers: { memory } }

const restarted = 'the gateway was restarted'
const note = `The connection to the server "memory" was lost and made again (${restarted}). What the server may have kept for this session in memory is gone.`

test('a client goes on through a kill of the gateway as if nothing had happened, and is told what is lost', async () => {
  await using place = await openFixedPlace(configuration)
  await using first = await place.serve()
  await using follower = await follow(place.url)
  const { client, heard } = follower
  await client.listTools()
  await client.subscribeResource({ uri: 'memo:///note' })
  await client.setLoggingLevel('warning')
  expect(await follower.call('memory__count')).toEqual({ texts: ['count 1'], lost: undefined })
  expect(await follower.call('memory__count')).toEqual({ texts: ['count 2'], lost: undefined })
  await follower.call('memory__touch')
  await follower.call('memory__log')
  await follower.call('memory__ask')
  await expect
    .poll(() => heard)
    .toEqual(['updated memo:///note', 'log warning', 'log error', 'asked Who are you?'])
  await kill(first)
  heard.length = 0

  await using second = await place.serve()
  // It listens again by itself, and learns that it may have missed something.
  await expect.poll(() => heard.toSorted()).toEqual(['tools changed', 'updated memo:///note'])
  expect(await follower.call('memory__count')).toEqual({
    texts: ['count 1', note],
    lost: { server: 'memory', reason: restarted },
  })
  expect(await follower.call('memory__count')).toEqual({ texts: ['count 2'], lost: undefined })
  heard.length = 0
  await follower.call('memory__touch')
  await expect.poll(() => heard).toEqual(['updated memo:///note'])
  await follower.call('memory__log')
  expect((await follower.call('memory__ask')).texts).toEqual(['You are Ada'])
  await expect
    .poll(() => heard)
    .toEqual(['updated memo:///note', 'log warning', 'log error', 'asked Who are you?'])
  expect(second.output.stderr).not.toMatch(/error/i)
}, 60_000)

test('a client goes on through a stop as well, at one server’s own door too', async () => {
  await using place = await openFixedPlace(configuration)
  await using first = await place.serve()
  await using follower = await follow(place.url.replace('/mcp', '/mcp/s/memory'))
  await follower.client.subscribeResource({ uri: 'memo:///note' })
  await follower.client.setLoggingLevel('error')
  expect((await follower.call('count')).texts).toEqual(['count 1'])
  first.child.kill('SIGTERM')
  expect(await first.ended()).toBe(0)

  await using _ = await place.serve()
  expect(await follower.call('count')).toEqual({
    texts: ['count 1', note],
    lost: { server: 'memory', reason: restarted },
  })
  await expect.poll(() => follower.heard).toContain('updated memo:///note')
  follower.heard.length = 0
  await follower.call('touch')
  await follower.call('log')
  await expect.poll(() => follower.heard).toEqual(['updated memo:///note', 'log error'])
}, 60_000)

test('a client goes on in its conversation with an agent, and hears of it', async () => {
  await using place = await openFixedPlace({})
  await using first = await place.serve()
  await using follower = await follow(place.url)
  const { client, heard } = follower
  await client.subscribeResource({ uri: 'chat://history' })
  const before = await chat(client, '/help')
  await kill(first)

  await using _ = await place.serve()
  await expect.poll(() => heard).toContain('tools changed')
  heard.length = 0
  const after = await chat(client, '/help')
  expect(after).toEqual(before)
  const said = (await readJson(client, 'chat://history')).map(({ type }) => type)
  expect(said).toEqual(['user', 'assistant', 'end', 'user', 'assistant', 'end'])
  expect(heard).toContain('updated chat://history')
}, 60_000)

test('a call that is under way when the gateway is killed fails by itself, and says that nobody knows', async () => {
  await using place = await openFixedPlace(configuration)
  await using first = await place.serve()
  await using follower = await follow(place.url)
  const progress = Promise.withResolvers<void>()
  const held = follower.client.callTool({ name: 'memory__hold', arguments: {} }, undefined, {
    onprogress: () => progress.resolve(),
  })
  const failed = held.catch((error: Error) => error.message)
  await progress.promise
  await kill(first)

  await using _ = await place.serve()
  expect(await failed).toMatch(/restarted before the answer came: nobody knows whether/)
  expect((await follower.call('memory__count')).texts[0]).toBe('count 1')
}, 60_000)

test('nobody else can go on with a session, and one that has ended stays ended', async () => {
  const keys = ['ada', 'grace'].map((name) => ({ name, key: `key-of-${name}-0123456789` }))
  await using place = await openFixedPlace({ ...configuration, http: { keys } })
  await using first = await place.serve()
  const ada = { authorization: 'Bearer key-of-ada-0123456789' }
  const grace = { authorization: 'Bearer key-of-grace-0123456789' }
  await using follower = await follow(place.url, ada)
  await using leaver = await follow(place.url, ada)
  await leaver.leave()
  await kill(first)

  await using second = await place.serve()
  const list = async (sessionId: string, headers: Record<string, string>) => {
    const response = await fetch(place.url, {
      method: 'POST',
      headers: {
        ...headers,
        'mcp-session-id': sessionId,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    await response.text()
    return response.status
  }
  expect(await list(follower.sessionId, grace)).toBe(404)
  expect(await list(follower.sessionId, {})).toBe(401)
  expect(await list(leaver.sessionId, ada)).toBe(404)
  expect(await list(follower.sessionId, ada)).toBe(200)
  expect(await list(follower.sessionId, grace)).toBe(404)
  await follower.leave()
  await kill(second)

  await using _ = await place.serve()
  expect(await list(follower.sessionId, ada)).toBe(404)
}, 60_000)

test('where a newer version has written the database, sessions end with the process, and that is said', async () => {
  await using place = await openFixedPlace(configuration)
  {
    await using first = await place.serve()
    await using _ = await follow(place.url)
    await kill(first)
  }
  const database = new DatabaseSync(join(place.folder, 'state/mobius.db'))
  database.exec(`insert into __drizzle_migrations (hash, created_at) values ('later', 9e15)`)
  database.close()

  await using second = await place.serve()
  await using follower = await follow(place.url)
  expect((await follower.call('memory__count')).texts).toEqual(['count 1'])
  const [said] = await second.said(
    /Sessions will not live through a restart: .*newer version of Mobius.*/,
  )
  expect(said).toContain(join(place.folder, 'state/mobius.db'))
}, 60_000)
