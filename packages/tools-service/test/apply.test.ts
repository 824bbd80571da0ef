import { defineServer, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createToolsService } from '../src/index.ts'
import { createGate, createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

const upstream = (answer = 'fine') => serveUpstream(answerTools({ fine: () => text(answer) }))

const builtIn = defineServer({
  name: 'inside',
  version: '1',
  tools: { fine: tool({ description: 'Fine.', run: () => 'fine' }) },
})

describe('a new configuration', () => {
  test('leaves alone what did not change', async () => {
    const one = upstream()
    const two = upstream()
    await using gateway = createGateway({ upstreams: { one, two } })
    const client = await gateway.client()
    await client.text('one__fine')
    await client.text('two__fine')
    gateway.service.apply({ servers: [configure('two', two), configure('one', one)] })
    expect(await client.text('one__fine')).toBe('fine')
    expect([one.attempts, two.attempts]).toEqual([1, 1])
  })

  test('replaces what changed: a call in flight ends on the old one, the next goes to the new', async () => {
    const gate = createGate()
    const before = serveUpstream(
      answerTools({ wait: () => gate.wait().then(() => text('old')), which: () => text('old') }),
    )
    const after = serveUpstream(answerTools({ which: () => text('new') }))
    await using gateway = createGateway({ upstreams: { one: before } })
    const client = await gateway.client()
    const call = client.text('one__wait')
    await settle()
    gateway.service.apply({ servers: [configure('one', after, { identity: 'changed' })] })
    expect(await client.text('one__which')).toBe('new')
    expect(await client.names()).toEqual(['one__which'])
    expect(before.open).toBe(1)
    gate.open()
    expect(await call).toBe('old')
    await settle()
    expect(before.open).toBe(0)
    expect(after.open).toBe(1)
    expect(gateway.service.states()).toMatchObject([
      { state: 'ready', connections: 1, reason: undefined },
    ])
  })

  test('without a server refuses new calls to it by name', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.text('one__fine')
    gateway.service.apply({ servers: [] })
    expect(await client.text('one__fine')).toMatchInlineSnapshot(`"-32602 Unknown tool: one__fine"`)
    expect(await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))).toBe(
      '-32602 Unknown server: one',
    )
    expect(await client.names()).toEqual([])
    expect(server.open).toBe(0)
    expect(gateway.service.states()).toEqual([])
  })

  test('is told to clients that have listed, when it makes a difference to them', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    const lister = await gateway.client()
    const other = await gateway.client()
    const narrow = await gateway.client({ to: gateway.service.publish({ refs: ['one'] }) })
    await lister.names()
    await narrow.names()
    gateway.service.apply({ servers: [configure('one', upstream()), configure('two', upstream())] })
    await gateway.clock.advance(1000)
    expect(lister.received('notifications/tools/list_changed')).toHaveLength(1)
    expect(other.received('notifications/tools/list_changed')).toEqual([])
    expect(narrow.received('notifications/tools/list_changed')).toEqual([])
    expect(await lister.names()).toEqual(['one__fine', 'two__fine'])
    gateway.service.addServer(builtIn)
    await gateway.clock.advance(1000)
    expect(lister.received('notifications/tools/list_changed')).toHaveLength(2)
  })

  test('brings servers of this process, keeps those that it has again, and lets go of the others', async () => {
    const gate = createGate()
    const closed: string[] = []
    const define = (name: string, answer: string) => ({
      ...defineServer({
        name,
        version: '1',
        tools: {
          say: tool({ description: 'Says.', run: () => answer }),
          wait: tool({
            description: 'Waits.',
            async run() {
              await gate.wait()
              return answer
            },
          }),
        },
        watch: () => () => void closed.push(answer),
      }),
    })
    const [kept, before, after] = [define('a', 'a'), define('b', 'old'), define('b', 'new')]
    await using gateway = createGateway({ upstreams: {} })
    const { service } = gateway
    const client = await gateway.client()
    service.apply({ servers: [], builtIn: [kept, before] })
    expect(await client.names()).toEqual(['a__say', 'a__wait', 'b__say', 'b__wait'])
    expect(await client.text('a__say')).toBe('a')
    const call = client.text('b__wait')
    await settle()
    service.apply({ servers: [], builtIn: [kept, after] })
    expect(await client.text('b__say')).toBe('new')
    gate.open()
    expect(await call).toBe('old')
    expect(closed).toEqual(['old'])
    service.apply({ servers: [], builtIn: [kept] })
    expect(await client.text('b__say')).toBe('-32602 Unknown tool: b__say')
    expect(closed).toEqual(['old', 'new'])
    expect(service.states()).toMatchObject([{ name: 'a', kind: 'built-in', connections: 1 }])
    const twice = { servers: [], builtIn: [kept, define('a', 'other')] }
    expect(() => service.apply(twice)).toThrow('There is a server called "a" already')
    expect(await client.text('a__say')).toBe('a')
  })

  test('moves subscriptions to the new connection', async () => {
    const watched = () =>
      serveUpstream(
        answerTools(
          {},
          {
            'resources/list': () => ({ resources: [{ uri: 'x://1', name: 'one' }] }),
            'resources/templates/list': () => ({ resourceTemplates: [] }),
            'resources/subscribe': () => ({}),
          },
        ),
      )
    const after = watched()
    await using gateway = createGateway({ upstreams: { one: watched() } })
    const client = await gateway.client()
    await client.session.request('resources/subscribe', { uri: 'x://1' })
    gateway.service.apply({ servers: [configure('one', after, { identity: 'changed' })] })
    await gateway.clock.advance(1000)
    expect(after.received('resources/subscribe')).toMatchObject([{ uri: 'x://1' }])
  })

  test('while a server is being started lets the call that began it end on it, and then ends it', async () => {
    for (const sharing of ['session', 'process'] as const) {
      const gate = createGate()
      const before = upstream('old')
      const connect = before.connect.bind(before)
      before.connect = async (environment, clock) => {
        await gate.wait()
        return await connect(environment, clock)
      }
      const after = upstream('new')
      await using gateway = createGateway({ upstreams: { one: [before, { sharing }] } })
      const call = gateway.service.call({ server: 'one', tool: 'fine' }, {})
      await settle()
      gateway.service.apply({
        servers: [configure('one', after, { identity: 'changed', sharing })],
      })
      gate.open()
      expect(await call).toEqual(text('old'))
      expect(await gateway.service.call({ server: 'one', tool: 'fine' }, {})).toMatchObject({
        content: [{ text: 'new' }, {}],
        _meta: { 'mobius-mcp.dev/state-lost': { reason: 'its configuration has changed' } },
      })
      await gateway.clock.advance(0)
      expect([before.open, after.open]).toEqual([0, 1])
    }
  })

  test('without a server that is being started lets the call end that began before', async () => {
    const gate = createGate()
    const server = upstream()
    const connect = server.connect.bind(server)
    server.connect = async (environment, clock) => {
      await gate.wait()
      return await connect(environment, clock)
    }
    await using gateway = createGateway({ upstreams: { one: server } })
    const call = gateway.service.call({ server: 'one', tool: 'fine' }, {})
    await settle()
    gateway.service.apply({ servers: [] })
    expect(await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))).toBe(
      '-32602 Unknown server: one',
    )
    gate.open()
    expect(await call).toEqual(text('fine'))
    await gateway.clock.advance(0)
    expect(server.open).toBe(0)
  })

  test('forgets how often the old one failed', async () => {
    const server = upstream()
    server.failure = new Error('no such command')
    await using gateway = createGateway({ upstreams: { one: server } })
    const call = () => errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
    await call()
    expect(gateway.service.states()).toMatchObject([{ state: 'waiting' }])
    gateway.service.apply({ servers: [configure('one', upstream(), { identity: 'changed' })] })
    expect(gateway.service.states()).toMatchObject([{ state: 'idle', reason: undefined }])
    expect(await call()).toBe('no error')
  })

  test('can disable a server and enable it again', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    expect(await client.names()).toEqual(['one__fine'])
    const set = (disabled: boolean) => {
      const identity = `disabled: ${disabled}`
      gateway.service.apply({ servers: [configure('one', server, { identity, disabled })] })
    }
    set(true)
    expect(await client.names()).toEqual([])
    set(false)
    expect(await client.names()).toEqual(['one__fine'])
  })
})

describe('a configuration that cannot be', () => {
  test('says that a name is there twice, and changes nothing', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server }, builtIns: [builtIn] })
    const apply = (...names: string[]) =>
      gateway.service.apply({ servers: names.map((name) => configure(name, upstream())) })
    expect(() => apply('two', 'two')).toThrowErrorMatchingInlineSnapshot(
      `[TypeError: There is a server called "two" already; each needs a name of its own]`,
    )
    expect(() => apply('inside')).toThrow('There is a server called "inside" already')
    expect(() => gateway.service.addServer(builtIn)).toThrow('"inside" already')
    expect(await (await gateway.client()).names()).toEqual(['inside__fine', 'one__fine'])
  })

  test('says that nothing was given to reach a server with', () => {
    const service = createToolsService()
    expect(() =>
      service.apply({ servers: [configure('one', upstream())] }),
    ).toThrowErrorMatchingInlineSnapshot(
      `[TypeError: Server "one" lives elsewhere, and this service was given no connect function to reach it]`,
    )
  })
})
