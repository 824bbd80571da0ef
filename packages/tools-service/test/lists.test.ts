import { defineServer, type JsonObject, tool } from '@mobius-mcp/protocol'
import { type Catalog, createMemoryCatalog } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createGate, createGateway } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, describeTool, serveUpstream, text } from './support/upstream.ts'

const upstream = () => serveUpstream(answerTools({ fine: () => text('fine') }))

describe('a list', () => {
  test('holds everything as its server describes it, but for the name', async () => {
    const described = {
      name: 'fine',
      inputSchema: { $defs: { a: {} }, $ref: '#/$defs/a', additionalProperties: false },
      annotations: { destructiveHint: false, title: null },
      _meta: { 'x-y': false },
      'x-unknown': null,
    }
    const server = serveUpstream(answerTools({}, { 'tools/list': () => ({ tools: [described] }) }))
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    expect(await client.list('tools')).toEqual([{ ...described, name: 'one__fine' }])
  })

  test('is in the order of the servers, and of each server’s own list', async () => {
    const inside = defineServer({
      name: 'z-inside',
      version: '1',
      tools: {
        b: tool({ description: 'B.', run: () => '' }),
        a: tool({ description: 'A.', run: () => '' }),
      },
    })
    const two = serveUpstream(answerTools({ y: () => text(''), x: () => text('') }))
    await using gateway = createGateway({ builtIns: [inside], upstreams: { two, one: upstream() } })
    const client = await gateway.client()
    expect(await client.names()).toEqual([
      'z-inside__b',
      'z-inside__a',
      'two__y',
      'two__x',
      'one__fine',
    ])
  })

  test('is empty, not absent, where there is nothing', async () => {
    await using gateway = createGateway()
    const { session } = await gateway.client()
    expect(await session.request('tools/list', {})).toEqual({ tools: [] })
    expect(await session.request('resources/templates/list', {})).toEqual({ resourceTemplates: [] })
  })

  test('holds every page of every server', async () => {
    const pages: Record<string, JsonObject> = {
      undefined: { tools: [describeTool('a')], nextCursor: '2' },
      2: { tools: [describeTool('b')], nextCursor: '' },
    }
    const server = serveUpstream(
      answerTools({}, { 'tools/list': ({ cursor }) => pages[String(cursor)] }),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    expect(await (await gateway.client()).names()).toEqual(['one__a', 'one__b'])
  })

  test('stops where a server’s pages go round, or never end, and says so', async () => {
    const round = serveUpstream(
      answerTools({}, { 'tools/list': () => ({ tools: [describeTool('a')], nextCursor: 'x' }) }),
    )
    let count = 0
    const endless = serveUpstream(
      answerTools(
        {},
        {
          'tools/list': () => {
            count += 1
            return { tools: [describeTool(`t${count}`)], nextCursor: String(count) }
          },
        },
      ),
    )
    await using gateway = createGateway({ upstreams: { round, endless } })
    const names = await (await gateway.client()).names()
    expect(names.filter((name) => name.startsWith('round'))).toEqual(['round__a'])
    expect(names.filter((name) => name.startsWith('endless'))).toHaveLength(64)
    expect(gateway.logs).toMatchInlineSnapshot(`
      [
        "round: tools/list answered the cursor "x" twice; stopped there",
        "endless: tools/list has more than 64 pages; the rest was not read",
        ": round/a cannot be named round__a, which is taken: it is left out",
      ]
    `)
  })

  test('is given in pages of its own', async () => {
    const tools = Array.from({ length: 2500 }, (_, index) => describeTool(`t${index}`))
    const server = serveUpstream(answerTools({}, { 'tools/list': () => ({ tools }) }))
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const first = await client.session.request('tools/list', {})
    expect(first.tools).toHaveLength(1000)
    expect(await client.names()).toEqual(tools.map(({ name }) => `one__${String(name)}`))
    const invalid = client.session.request('tools/list', { cursor: 'mine' })
    await expect(invalid).rejects.toMatchObject({ number: -32602 })
  })

  test('of what a server does not offer is not asked for', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    for (const kind of ['prompts', 'resources', 'resourceTemplates'] as const) {
      expect(await client.names(kind)).toEqual([])
    }
    expect(server.sent.map((message) => 'method' in message && message.method)).toEqual([
      'initialize',
      'notifications/initialized',
    ])
  })

  test('with entries that are none leaves those out', async () => {
    const tools = [null, 7, {}, { name: 8 }, describeTool('fine')]
    const server = serveUpstream(answerTools({}, { 'tools/list': () => ({ tools }) }))
    await using gateway = createGateway({ upstreams: { one: server } })
    expect(await (await gateway.client()).names()).toEqual(['one__fine'])
  })
})

describe('a server that does not answer', () => {
  test('holds a list up for five seconds, is named on it, and comes when it comes', async () => {
    const gate = createGate<JsonObject>()
    const slow = serveUpstream(answerTools({}, { 'tools/list': () => gate.wait() }))
    await using gateway = createGateway({ upstreams: { one: upstream(), slow } })
    const client = await gateway.client()
    const list = client.session.request('tools/list', {})
    await settle()
    await gateway.clock.advance(5000)
    expect(await list).toMatchInlineSnapshot(`
      {
        "_meta": {
          "mobius-mcp.dev/missing": [
            {
              "reason": "it did not answer within 5 s; it is still being asked",
              "server": "slow",
            },
          ],
        },
        "tools": [
          {
            "inputSchema": {
              "type": "object",
            },
            "name": "one__fine",
          },
        ],
      }
    `)
    expect(client.received('notifications/tools/list_changed')).toEqual([])
    gate.open({ tools: [describeTool('late')] })
    await settle()
    await gateway.clock.advance(200)
    expect(client.received('notifications/tools/list_changed')).toHaveLength(1)
    expect(await client.session.request('tools/list', {})).toMatchObject({
      tools: [{ name: 'one__fine' }, { name: 'slow__late' }],
    })
  })

  test('holds nobody up for longer than is configured', async () => {
    const stuck = upstream()
    stuck.stuck = true
    await using gateway = createGateway({ upstreams: { one: upstream(), stuck }, listTimeout: 100 })
    const client = await gateway.client()
    expect(await gateway.during(100, client.names())).toEqual(['one__fine'])
  })

  test('holds nobody up twice', async () => {
    const stuck = upstream()
    stuck.stuck = true
    await using gateway = createGateway({ upstreams: { one: upstream(), stuck } })
    const client = await gateway.client()
    expect(await gateway.during(5000, client.names())).toEqual(['one__fine'])
    expect(await client.names()).toEqual(['one__fine'])
    expect(await (await gateway.client()).names()).toEqual(['one__fine'])
  })

  test('is waited for by everyone together', async () => {
    const gate = createGate<JsonObject>()
    const slow = serveUpstream(answerTools({}, { 'tools/list': () => gate.wait() }))
    await using gateway = createGateway({ upstreams: { slow } })
    const clients = await Promise.all(Array.from({ length: 5 }, () => gateway.client()))
    const lists = clients.map((client) => client.names())
    await settle()
    gate.open({ tools: [describeTool('late')] })
    expect(await Promise.all(lists)).toEqual(clients.map(() => ['slow__late']))
    expect(gate.arrived).toBe(1)
    expect(slow.attempts).toBe(1)
  })
})

describe('the catalog', () => {
  test('remembers what a connection said first, not what it said later', async () => {
    const tools = [describeTool('first')]
    const server = serveUpstream(
      answerTools({ first: () => text('') }, { 'tools/list': () => ({ tools }) }),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names()
    tools.push(describeTool('unlocked'))
    await server.say({ method: 'notifications/tools/list_changed' })
    await gateway.clock.advance(200)
    expect(await client.names()).toEqual(['one__first', 'one__unlocked'])
    const other = await gateway.client()
    expect(await other.names()).toEqual(['one__first'])
    await other.call('one__first')
    await gateway.clock.advance(500)
    expect(await other.names()).toEqual(['one__first', 'one__unlocked'])
  })

  test('keeps all kinds of list, however they arrive', async () => {
    const entries = new Map<string, unknown>()
    const catalog: Catalog = {
      get: async (key) => entries.get(key) as never,
      set: async (key, entry) => {
        await settle()
        entries.set(key, entry)
      },
      delete: async (key) => void entries.delete(key),
    }
    const server = serveUpstream(
      answerTools(
        { fine: () => text('') },
        {
          'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
          'resources/list': () => ({ resources: [{ uri: 'x://1', name: 'r' }] }),
          'resources/templates/list': () => ({ resourceTemplates: [] }),
        },
      ),
    )
    await using gateway = createGateway({ upstreams: { one: server }, catalog })
    const client = await gateway.client()
    await Promise.all([client.names('tools'), client.names('prompts'), client.names('resources')])
    for (let round = 0; round < 10; round++) await settle()
    expect([...entries.values()]).toMatchObject([
      {
        lists: { tools: [{ name: 'fine' }], prompts: [{ name: 'p' }], resources: [{ name: 'r' }] },
      },
    ])
  })

  test('that fails is one that has forgotten', async () => {
    const catalog: Catalog = {
      get: () => Promise.reject(new Error('disk full')),
      set: () => Promise.reject(new Error('disk full')),
      delete: async () => {},
    }
    await using gateway = createGateway({ upstreams: { one: upstream() }, catalog })
    const client = await gateway.client()
    expect(await client.names()).toEqual(['one__fine'])
    expect(await client.text('one__fine')).toBe('fine')
    await settle()
    expect(new Set(gateway.logs)).toEqual(
      new Set([
        'one: The catalog could not be read: disk full',
        'one: The catalog could not be written: disk full',
      ]),
    )
  })

  test('is not asked about another configuration, other capabilities or another principal', async () => {
    const keys = new Set<string>()
    const memory = createMemoryCatalog()
    const catalog: Catalog = {
      ...memory,
      get: (key) => {
        keys.add(key)
        return memory.get(key)
      },
    }
    const servers = { one: upstream() }
    await using gateway = createGateway({ upstreams: servers, catalog })
    await using changed = createGateway({
      upstreams: { one: [servers.one, { identity: 'changed' }] },
      catalog,
    })
    await using shared = createGateway({
      upstreams: { one: [servers.one, { sharing: 'principal', identity: 'shared' }] },
      catalog,
    })
    await (await gateway.client()).names()
    await (await gateway.client({ capabilities: { roots: {} } })).names()
    await (await changed.client()).names()
    await (await shared.client({ principal: { id: 'anna', scopes: [] } })).names()
    await (await shared.client({ principal: { id: 'bert', scopes: [] } })).names()
    expect(keys.size).toBe(5)
    expect(servers.one.attempts).toBe(5)
  })
})

test('a caller inside lists what its references stand for, and what is missing', async () => {
  const down = upstream()
  down.failure = new Error('no route to host')
  await using gateway = createGateway({ upstreams: { one: upstream(), two: upstream(), down } })
  const listing = await gateway.service.list('tools', ['one', 'two/f*', 'down', '!two/nothing'])
  expect(listing).toEqual({
    entries: [
      { server: 'one', name: 'fine', alias: undefined, value: describeTool('fine') },
      { server: 'two', name: 'fine', alias: undefined, value: describeTool('fine') },
    ],
    missing: [{ server: 'down', reason: 'no route to host' }],
  })
  expect((await gateway.service.list('tools', ['one/fine:best'])).entries).toMatchObject([
    { alias: 'best' },
  ])
})
