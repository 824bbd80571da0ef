import type { JsonObject, MessageHandler, Session } from '@mobius-mcp/protocol'
import { type ConnectOptions, describeTransports } from '@mobius-mcp/testing'
import { expect, test } from 'vitest'

const server = new URL('./servers/changing-server.ts', import.meta.url)
const since = '2026-01-01T00:00:00.000Z'

describeTransports('the meta server', (connect) => {
  test('says what it is and has', async () => {
    await using connection = await connect(server)
    expect(connection.session.peer).toMatchObject({
      info: { name: 'meta', title: 'Mobius', version: '1.2.3' },
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
      },
    })
  })

  test('lists every server with its state, why, since when, and counts', async () => {
    await using connection = await connect(server)
    const { structuredContent, content, isError } = await list(connection.session, {})
    expect(isError).toBeUndefined()
    expect(structuredContent).toEqual({
      servers: [
        shown('meta', { kind: 'built-in', state: 'ready' }),
        shown('files', {
          state: 'ready',
          connections: 2,
          inFlight: 1,
          calls: 7,
          offers: { tools: 3 },
        }),
        shown('@acme/broken one', { state: 'failed', reason: 'no licence', restarts: 4 }),
      ],
    })
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  })

  test('lists the servers in one state', async () => {
    await using connection = await connect(server)
    const failed = await list(connection.session, { state: 'failed' })
    expect(failed.structuredContent).toMatchObject({ servers: [{ name: '@acme/broken one' }] })
    const none = await list(connection.session, { state: 'nonsense' })
    expect(none.structuredContent).toEqual({ servers: [] })
    await expect(list(connection.session, { state: 7 })).rejects.toMatchObject({ number: -32602 })
  })

  test('shows each server as a resource, which is listed and completed', async () => {
    await using connection = await connect(server)
    const { resources } = await connection.session.request('resources/list', {})
    expect(resources).toMatchObject([
      { uri: 'call:///recent', name: 'Recent calls' },
      { uri: 'server:///meta', name: 'meta' },
      { uri: 'server:///files', title: 'Server files', mimeType: 'application/json' },
      { uri: 'server:///%40acme%2Fbroken%20one', name: '@acme/broken one' },
    ])
    expect(await read(connection.session, 'server:///files')).toEqual(
      shown('files', {
        state: 'ready',
        connections: 2,
        inFlight: 1,
        calls: 7,
        offers: { tools: 3 },
      }),
    )
    expect(await read(connection.session, 'server:///%40acme%2Fbroken%20one')).toMatchObject({
      name: '@acme/broken one',
      reason: 'no licence',
    })
    const templates = await connection.session.request('resources/templates/list', {})
    expect(templates).toMatchObject({ resourceTemplates: [{ uriTemplate: 'server:///{name}' }] })
    const ref = { type: 'ref/resource', uri: 'server:///{name}' }
    const argument = { name: 'name', value: 'f' }
    expect(
      await connection.session.request('completion/complete', { ref, argument }),
    ).toMatchObject({ completion: { values: ['files'], total: 1 } })
  })

  test('knows no server that is not there', async () => {
    await using connection = await connect(server)
    for (const method of ['resources/read', 'resources/subscribe']) {
      const uri = 'server:///nobody/x'
      await expect(connection.session.request(method, { uri })).rejects.toMatchObject({
        number: -32002,
        data: { uri },
      })
    }
    await expect(read(connection.session, 'server:///nobody')).rejects.toMatchObject({
      number: -32002,
    })
  })

  test('tells a subscriber that the state of its server has changed, until it takes that back', async () => {
    const { updates, client } = listener()
    await using connection = await connect(server, client)
    const { session } = connection
    const uri = 'server:///%40acme%2Fbroken%20one'
    await session.request('resources/subscribe', { uri })
    await session.request('test/state', { name: 'files', state: 'idle' })
    await session.request('test/state', { name: '@acme/broken one', state: 'starting' })
    await expect.poll(() => updates).toEqual([uri])
    expect(await read(session, uri)).toMatchObject({ state: 'starting' })
    await session.request('resources/unsubscribe', { uri })
    await session.request('test/state', { name: '@acme/broken one', state: 'ready' })
    await session.request('ping', {})
    expect(updates).toEqual([uri])
  })

  test('tells everybody that servers have come or gone', async () => {
    const { changes, client } = listener()
    await using connection = await connect(server, client)
    await connection.session.request('test/server', { name: 'new' })
    await expect.poll(() => changes).toEqual(['notifications/resources/list_changed'])
    expect(await read(connection.session, 'server:///new')).toMatchObject({ state: 'idle' })
  })

  test('shows the last calls, and tells a subscriber of new ones', async () => {
    const { updates, client } = listener()
    await using connection = await connect(server, client)
    const { session } = connection
    const uri = 'call:///recent'
    await session.request('resources/subscribe', { uri })
    for (const name of ['one', 'two', 'three']) await session.request('test/call', { name })
    await expect.poll(() => updates).toContain(uri)
    const { calls } = (await read(session, uri)) as { calls: JsonObject[] }
    expect(calls.map(({ name }) => name)).toEqual(['read', 'one', 'two', 'three'])
    expect(calls[0]).toEqual({
      id: '1',
      principal: 'local',
      server: 'files',
      method: 'tools/call',
      name: 'read',
      startedAt: Date.parse(since),
      milliseconds: 5,
      outcome: 'ok',
    })
  })
})

function list(session: Session, args: JsonObject): Promise<JsonObject> {
  return session.request('tools/call', { name: 'list_servers', arguments: args })
}

async function read(session: Session, uri: string): Promise<unknown> {
  const { contents } = await session.request('resources/read', { uri })
  const [content] = contents as { uri: string; mimeType: string; text: string }[]
  expect(content).toMatchObject({ uri, mimeType: 'application/json' })
  return JSON.parse(content?.text ?? '')
}

function shown(name: string, more: JsonObject): JsonObject {
  const counts = { connections: 0, inFlight: 0, restarts: 0, calls: 0, errors: 0, offers: {} }
  return { name, kind: 'external', state: 'idle', since, sharing: 'session', ...counts, ...more }
}

/** A client that notes what it is told. */
function listener(): { updates: unknown[]; changes: string[]; client: ConnectOptions } {
  const updates: unknown[] = []
  const changes: string[] = []
  const client: MessageHandler = {
    onMessage({ method, params }) {
      if (method === 'notifications/resources/updated') updates.push(params?.uri)
      else changes.push(method)
      return {}
    },
  }
  return { updates, changes, client: { client } }
}
