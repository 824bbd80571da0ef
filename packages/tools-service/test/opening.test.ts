import { defineServer, type JsonObject, localPrincipal, tool } from '@mobius-mcp/protocol'
import { createMemoryCatalog } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const upstream = () => serveUpstream(answerTools({ fine: () => text('fine') }))

const everything = {
  'elicitation/create': () => ({ action: 'decline' }),
  'sampling/createMessage': () => ({ role: 'assistant', model: 'm', content: { type: 'text' } }),
  'roots/list': () => ({ roots: [] }),
}

describe('nothing is started', () => {
  test('before it is used', async () => {
    const server = upstream()
    let built = 0
    const builtIn = defineServer({
      name: 'inside',
      version: '1',
      setup() {
        built += 1
        return {}
      },
    })
    await using gateway = createGateway({ upstreams: { one: server }, builtIns: [builtIn] })
    await gateway.client()
    expect(server.attempts).toBe(0)
    expect(built).toBe(0)
  })

  test('by a list that is remembered', async () => {
    const catalog = createMemoryCatalog()
    const first = upstream()
    await using before = createGateway({ upstreams: { one: first }, catalog })
    await (await before.client()).names()
    expect(first.attempts).toBe(1)
    const second = upstream()
    await using gateway = createGateway({ upstreams: { one: second }, catalog })
    const client = await gateway.client()
    expect(await client.names()).toEqual(['one__fine'])
    expect(second.attempts).toBe(0)
    expect(await client.text('one__fine')).toBe('fine')
    expect(second.attempts).toBe(1)
  })

  test('of a server that is disabled', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: [server, { disabled: true }] } })
    const client = await gateway.client()
    expect(await client.names()).toEqual([])
    expect(await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))).toBe(
      '-32005 Server "one" is not available: it is disabled in the configuration',
    )
    expect(server.attempts).toBe(0)
    expect(gateway.service.states()).toMatchObject([{ name: 'one', state: 'disabled' }])
  })
})

describe('a server is started once', () => {
  test('for fifty first calls of one client', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const calls = Array.from({ length: 50 }, () => client.text('one__fine'))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['fine']))
    expect(server.attempts).toBe(1)
  })

  test('for the first lists of many clients, and then for each client that calls', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const clients = await Promise.all(Array.from({ length: 10 }, () => gateway.client()))
    await Promise.all(clients.map((client) => client.names()))
    expect(server.attempts).toBe(1)
    await Promise.all(clients.map((client) => client.text('one__fine')))
    expect(server.attempts).toBe(10)
  })

  test('for each principal, where that is configured', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: [server, { sharing: 'principal' }] } })
    const anna = { id: 'anna', issuer: 'a', scopes: [] }
    const other = { id: 'anna', issuer: 'b', scopes: [] }
    const clients = await Promise.all(
      [anna, anna, other, anna].map((principal) => gateway.client({ principal })),
    )
    await Promise.all(clients.map((client) => client.text('one__fine')))
    expect(server.attempts).toBe(2)
  })

  test('for everyone, where that is configured', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: [server, { sharing: 'process' }] } })
    const clients = await Promise.all(Array.from({ length: 10 }, () => gateway.client()))
    await Promise.all(clients.map((client) => client.text('one__fine')))
    expect(server.attempts).toBe(1)
    await clients[0]?.session.close()
    expect(await clients[1]?.text('one__fine')).toBe('fine')
    expect(server.attempts).toBe(1)
  })

  test('in the name of whoever first needs it, except where everyone shares it', async () => {
    for (const [sharing, owner] of [
      ['session', 'anna'],
      ['principal', 'anna'],
      ['process', localPrincipal.id],
    ] as const) {
      const server = upstream()
      await using gateway = createGateway({ upstreams: { one: [server, { sharing }] } })
      const client = await gateway.client({ principal: { id: 'anna', scopes: ['operator'] } })
      await client.text('one__fine')
      expect(server.environments.map(({ principal }) => principal.id)).toEqual([owner])
    }
  })

  test('under each of its names, where one configuration has several', async () => {
    const server = upstream()
    const shared = { sharing: 'process', identity: 'the same' } as const
    await using gateway = createGateway({
      upstreams: { one: [server, shared], two: [server, shared] },
    })
    const client = await gateway.client()
    await client.text('one__fine')
    await client.text('two__fine')
    expect(server.attempts).toBe(2)
    expect(gateway.service.states()).toMatchObject([{ connections: 1 }, { connections: 1 }])
  })
})

describe('what a server is told of its client', () => {
  const capabilities = {
    elicitation: { form: {}, url: {} },
    roots: { listChanged: true },
    'x-y': null,
  }

  test('is exactly what the client said: who it is, what it can, which revision it speaks', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client({ capabilities, name: 'editor' })
    await client.text('one__fine')
    const [{ _meta, ...params } = {}] = server.received('initialize') as JsonObject[]
    expect(params).toEqual({
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name: 'editor', version: '1' },
    })
  })

  test('on a shared connection is who we are, and that nothing can be asked', async () => {
    const server = upstream()
    await using gateway = createGateway({
      upstreams: { one: [server, { sharing: 'process' }] },
      info: { name: 'gate', version: '7' },
    })
    await (await gateway.client({ capabilities })).text('one__fine')
    expect(server.received('initialize')).toMatchObject([
      { capabilities: {}, clientInfo: { name: 'gate', version: '7' } },
    ])
  })

  test('may let it offer more, and each client sees the list that is meant for it', async () => {
    const server = serveUpstream(
      answerTools(
        { ask: () => text('asked'), fine: () => text('fine') },
        {
          'tools/list': () => ({ tools: [{ name: 'fine', inputSchema: { type: 'object' } }] }),
        },
      ),
    )
    let declared: JsonObject = {}
    const choosy = serveUpstream(
      answerTools(
        { ask: () => text('asked'), fine: () => text('fine') },
        {
          initialize(params) {
            declared = params.capabilities as JsonObject
            return {
              protocolVersion: params.protocolVersion,
              capabilities: { tools: {} },
              serverInfo: { name: 'choosy', version: '1' },
            }
          },
          'tools/list': () => ({
            tools: ['fine', ...(declared.elicitation ? ['ask'] : [])].map((name) => ({
              name,
              inputSchema: { type: 'object' },
            })),
          }),
        },
      ),
    )
    await using gateway = createGateway({ upstreams: { choosy, server } })
    const able = await gateway.client({ answers: everything })
    const unable = await gateway.client()
    expect(await able.names()).toContain('choosy__ask')
    expect(await unable.names()).not.toContain('choosy__ask')
    const another = await gateway.client({ answers: everything })
    expect(await another.names()).toContain('choosy__ask')
    expect(choosy.attempts).toBe(2)
  })
})

describe('what a server says before it is ready', () => {
  test('a question on the heels of the handshake is answered', async () => {
    const roots: unknown[] = []
    const server = serveUpstream(
      answerTools(
        { fine: () => text('fine') },
        {
          'notifications/initialized': async (_, { session }) => {
            roots.push(await session.request('roots/list', {}))
          },
        },
      ),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    const answers = { 'roots/list': () => ({ roots: [{ uri: 'file:///a' }] }) }
    await (await gateway.client({ answers })).text('one__fine')
    await settle()
    expect(roots).toEqual([{ roots: [{ uri: 'file:///a' }] }])
  })

  test('a log message reaches the client', async () => {
    const server = serveUpstream(
      answerTools(
        { fine: () => text('fine') },
        {
          'notifications/initialized': (_, { session }) =>
            session.notify('notifications/message', { level: 'info', data: 'hello' }),
        },
      ),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.text('one__fine')
    expect(client.received('notifications/message')).toEqual([{ level: 'info', data: 'hello' }])
  })
})

test('a built-in server is built for each session, or once for all', async () => {
  const built: string[] = []
  const counting = (name: string, instance: 'session' | 'process') =>
    defineServer({
      name,
      version: '1',
      instance,
      tools: { fine: tool({ description: 'Fine.', run: () => 'fine' }) },
      setup() {
        built.push(name)
        return {}
      },
    })
  await using gateway = createGateway({
    builtIns: [counting('each', 'session'), counting('all', 'process')],
  })
  for (const _ of [1, 2, 3]) {
    const client = await gateway.client()
    await client.text('each__fine')
    await client.text('all__fine')
  }
  expect(built.sort()).toEqual(['all', 'each', 'each', 'each'])
})

test('a built-in server that cannot be built says why, and is tried again', async () => {
  let broken = true
  const server = defineServer({
    name: 'inside',
    version: '1',
    instance: 'process',
    tools: { fine: tool({ description: 'Fine.', run: () => 'fine' }) },
    setup() {
      if (broken) throw new Error('no such folder')
      return {}
    },
  })
  await using gateway = createGateway({ builtIns: [server], upstreams: { one: upstream() } })
  const client = await gateway.client()
  expect(await client.names()).toEqual(['one__fine'])
  broken = false
  await gateway.clock.advance(1000)
  expect(await client.text('inside__fine')).toBe('fine')
})
