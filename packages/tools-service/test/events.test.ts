import { defineServer, ProtocolError, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGate, createGateway, errorOf, plain } from './support/gateway.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const upstream = () =>
  serveUpstream(
    answerTools({
      fine: () => text('fine'),
      failing: () => ({ ...text('no'), isError: true }),
      refusing: () => {
        throw new ProtocolError({ code: 4242, message: 'Not like this', data: { secret: 1 } })
      },
    }),
  )

describe('every call leaves exactly one event', () => {
  test('that it went well', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    const client = await gateway.client({ name: 'editor' })
    await client.call('one__fine')
    expect(plain(gateway.events)).toMatchInlineSnapshot(`
      [
        {
          "depth": 0,
          "id": "call-1",
          "method": "tools/call",
          "milliseconds": 0,
          "name": "fine",
          "origin": {
            "kind": "client",
            "name": "editor",
          },
          "outcome": "ok",
          "principal": "local",
          "root": "root-2",
          "server": "one",
          "startedAt": 1,
          "version": 1,
        },
      ]
    `)
  })

  test('that the tool failed', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    await (await gateway.client()).call('one__failing')
    expect(gateway.events).toMatchObject([{ outcome: 'failed', error: undefined }])
  })

  test('that the server answered with an error, without its data', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    await errorOf((await gateway.client()).call('one__refusing'))
    expect(gateway.events.map(({ outcome, error }) => ({ outcome, error }))).toEqual([
      { outcome: 'error', error: { code: 4242, message: 'Not like this' } },
    ])
  })

  test('that it was refused, and by which rule', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      authorize: () => ({ decision: 'deny', rule: 'deny *' }),
    })
    await errorOf((await gateway.client()).call('one__fine'))
    expect(gateway.events).toMatchObject([
      { outcome: 'denied', rule: 'deny *', error: { code: -32004 } },
    ])
  })

  test('that it was cancelled, and how long it took until then', async () => {
    const gate = createGate()
    await using gateway = createGateway({
      upstreams: { one: serveUpstream(answerTools({ wait: () => gate.wait() })) },
    })
    const client = await gateway.client()
    await client.names()
    const abort = new AbortController()
    const params = { name: 'one__wait' }
    const call = client.session.request('tools/call', params, { signal: abort.signal })
    await gateway.clock.advance(250)
    abort.abort('enough')
    await errorOf(call)
    expect(gateway.events).toMatchObject([{ outcome: 'cancelled', milliseconds: 250 }])
  })

  test('that the server could not be reached', async () => {
    const down = upstream()
    await using gateway = createGateway({ upstreams: { one: down } })
    const client = await gateway.client()
    await client.names()
    await down.crash()
    down.failure = new Error('spawn nothing ENOENT')
    await errorOf(gateway.during(1000, client.call('one__fine')))
    expect(gateway.events).toMatchObject([{ outcome: 'error', error: { code: -32005 } }])
  })

  test('whatever an injected function throws', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      authorize: () => {
        throw new Error('the rules are broken')
      },
    })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('-32603 Internal error')
    expect(gateway.events).toMatchObject([
      { outcome: 'error', error: { code: -32603, message: 'the rules are broken' } },
    ])
  })

  test('and an observer that throws costs nobody the result', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      observe: () => {
        throw new Error('disk full')
      },
    })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('fine')
    expect(gateway.logs).toEqual(['one: An observer of calls failed: disk full'])
  })

  test('each with an id of its own, when one request becomes several', async () => {
    const around = () =>
      serveUpstream(
        answerTools(
          {},
          {
            'resources/list': () => ({ resources: [] }),
            'resources/templates/list': () => ({ resourceTemplates: [] }),
            'resources/read': ({ uri }) => {
              throw new ProtocolError('RESOURCE_NOT_FOUND', `Resource not found: ${String(uri)}`)
            },
          },
        ),
      )
    await using gateway = createGateway({ upstreams: { one: around(), two: around() } })
    const client = await gateway.client()
    await errorOf(client.session.request('resources/read', { uri: 'x://1' }))
    expect(gateway.events).toHaveLength(2)
    expect(new Set(gateway.events.map(({ id }) => id)).size).toBe(2)
  })
})

describe('the tree of calls', () => {
  const outer = defineServer({
    name: 'outer',
    version: '1',
    tools: {
      both: tool({
        description: 'Calls two others.',
        async run(_, { caller }) {
          await caller.call({ server: 'middle', tool: 'one' }, {})
          await caller.call({ server: 'one', tool: 'fine' }, {})
          return 'done'
        },
      }),
    },
  })
  const middle = defineServer({
    name: 'middle',
    version: '1',
    tools: {
      one: tool({
        description: 'Calls another.',
        async run(_, { caller }) {
          await caller.call({ server: 'one', tool: 'fine' }, {})
          return 'done'
        },
      }),
    },
  })

  test('says of each call which one led to it, how deep it is, and who began', async () => {
    await using gateway = createGateway({
      builtIns: [outer, middle],
      upstreams: { one: upstream() },
    })
    const client = await gateway.client({ name: 'editor' })
    await client.call('outer__both')
    const seen = plain(gateway.events).map(({ id, parent, root, server, depth, origin }) => ({
      id,
      parent,
      root,
      server,
      depth,
      origin,
    }))
    expect(seen).toMatchInlineSnapshot(`
      [
        {
          "depth": 2,
          "id": "call-1",
          "origin": {
            "kind": "client",
            "name": "editor",
          },
          "parent": "call-2",
          "root": "root-3",
          "server": "one",
        },
        {
          "depth": 1,
          "id": "call-2",
          "origin": {
            "kind": "client",
            "name": "editor",
          },
          "parent": "call-4",
          "root": "root-3",
          "server": "middle",
        },
        {
          "depth": 1,
          "id": "call-5",
          "origin": {
            "kind": "client",
            "name": "editor",
          },
          "parent": "call-4",
          "root": "root-3",
          "server": "one",
        },
        {
          "depth": 0,
          "id": "call-4",
          "origin": {
            "kind": "client",
            "name": "editor",
          },
          "parent": undefined,
          "root": "root-3",
          "server": "outer",
        },
      ]
    `)
  })

  test('begins with what a caller of ours does for nobody in particular', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    const task = gateway.service.callerFor({
      principal: { id: 'anna', scopes: [] },
      origin: { kind: 'task', name: 'nightly' },
    })
    await task.call({ server: 'one', tool: 'fine' }, {})
    await gateway.service.call({ server: 'one', tool: 'fine' }, {})
    expect(gateway.events).toMatchObject([
      { origin: { kind: 'task', name: 'nightly' }, depth: 0, principal: 'anna' },
      { origin: { kind: 'client' }, depth: 0, principal: 'local' },
    ])
  })
})

describe('the last calls', () => {
  test('are kept, oldest first, up to 500', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    const client = await gateway.client()
    for (let count = 0; count < 510; count++) await client.call('one__fine')
    const { recent } = gateway.service
    expect(recent.list()).toHaveLength(500)
    expect(recent.list()).toEqual(gateway.events.slice(10))
  })

  test('are told as they end, until nobody wants to know', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    const client = await gateway.client()
    const told: string[] = []
    const stop = gateway.service.recent.watch(({ name }) => told.push(name))
    await client.call('one__fine')
    stop()
    await client.call('one__failing')
    expect(told).toEqual(['fine'])
  })
})
