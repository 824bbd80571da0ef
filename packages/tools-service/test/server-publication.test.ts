import type { JsonObject, MessageContext, MessageHandler } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import type { ExternalServer } from '../src/index.ts'
import { createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, configure, describeTool, serveUpstream, text } from './support/upstream.ts'

const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true }, experimental: { 'x-y': null } },
  serverInfo: { name: 'real', version: '3', title: null },
  instructions: 'Be kind.',
  'x-z': false,
}

function upstream() {
  const said: JsonObject[] = []
  let context: MessageContext | undefined
  const server = serveUpstream(
    answerTools(
      {
        'odd.name/with:all': (_, given) => {
          context = given
          return text('fine')
        },
      },
      {
        initialize: () => greeting,
        'x/custom': (params) => ({ params, 'x-kept': null }),
        'notifications/x': (params) => {
          said.push(params)
        },
        'resources/subscribe': () => ({}),
        'resources/unsubscribe': () => ({}),
      },
    ),
  )
  return { server, said, tell: (method: string) => context?.session.notify(method, { a: null }) }
}

function setUp(config: Partial<ExternalServer> = {}) {
  const parts = upstream()
  const gateway = createGateway({
    upstreams: { one: [parts.server, config], two: serveUpstream(answerTools({})) },
  })
  return { ...parts, gateway, to: gateway.service.publishServer('one') as MessageHandler }
}

describe('one server on its own', () => {
  test('is connected at initialize, and introduces itself', async () => {
    const { server, gateway, to } = setUp()
    await using _ = gateway
    const client = await gateway.client({ to })
    expect(server.attempts).toBe(1)
    expect(client.session.peer?.result).toEqual(greeting)
  })

  test('that is not available says so at initialize', async () => {
    const { server, gateway, to } = setUp()
    await using _ = gateway
    server.failure = new Error('no such command')
    expect(await errorOf(gateway.client({ to }))).toBe(
      '-32005 Server "one" is not available: no such command',
    )
  })

  test('has its own names, its own pages and its own answers', async () => {
    const { gateway, to } = setUp()
    await using _ = gateway
    const client = await gateway.client({ to })
    expect(await client.list('tools')).toEqual([describeTool('odd.name/with:all')])
    expect(await client.text('odd.name/with:all')).toBe('fine')
    expect(await client.text('nothing')).toBe('-32602 Unknown tool: nothing')
    const { params, ...rest } = await client.session.request('x/custom', {
      a: null,
      _meta: { b: 1 },
    })
    expect(rest).toEqual({ 'x-kept': null })
    expect(params).toMatchObject({ a: null, _meta: { b: 1 } })
    expect(gateway.events.map(({ method, name }) => [method, name])).toEqual([
      ['tools/list', ''],
      ['tools/call', 'odd.name/with:all'],
      ['tools/call', 'nothing'],
      ['x/custom', ''],
    ])
  })

  test('passes on what either says of its own accord', async () => {
    const { server, said, tell, gateway, to } = setUp()
    await using _ = gateway
    const client = await gateway.client({ to })
    await client.text('odd.name/with:all')
    client.session.notify('notifications/x', { b: false })
    expect(said).toEqual([{ b: false }])
    tell('notifications/y')
    await server.say({ method: 'notifications/tools/list_changed' })
    expect(client.messages.slice(-2)).toMatchObject([
      { method: 'notifications/y', params: { a: null } },
      { method: 'notifications/tools/list_changed' },
    ])
    expect(server.received('notifications/initialized')).toHaveLength(1)
  })

  test('is subject to the same rules', async () => {
    const { server } = upstream()
    await using gateway = createGateway({
      upstreams: { one: server },
      authorize: ({ method }) => ({ decision: method === 'x/custom' ? 'deny' : 'allow' }),
    })
    const client = await gateway.client({ to: gateway.service.publishServer('one') })
    expect(await errorOf(client.session.request('x/custom', {}))).toBe(
      '-32004 one x/custom was refused: no rule allows it',
    )
  })

  test('says, when it is back after a crash, that its lists may have changed', async () => {
    const { server, gateway, to } = setUp()
    await using _ = gateway
    const client = await gateway.client({ to })
    await client.text('odd.name/with:all')
    await server.crash()
    expect(await client.text('odd.name/with:all')).toBe('fine')
    const told = client.messages.flatMap((message) => ('method' in message ? [message.method] : []))
    expect(told).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ])
    expect(server.attempts).toBe(2)
  })

  test('is told when a new configuration changes it, and of no other server', async () => {
    const { server, gateway, to } = setUp()
    await using _ = gateway
    const client = await gateway.client({ to })
    await client.names()
    gateway.service.apply({
      servers: [configure('one', server), configure('two', server, { identity: 'other' })],
    })
    await gateway.clock.advance(1000)
    expect(client.received('notifications/tools/list_changed')).toEqual([])
    gateway.service.apply({ servers: [configure('one', server, { identity: 'other' })] })
    expect(client.received('notifications/tools/list_changed')).toEqual([{}])
    gateway.service.apply({ servers: [] })
    await gateway.clock.advance(1000)
    expect(client.received('notifications/tools/list_changed')).toEqual([{}])
    expect(await client.text('odd.name/with:all')).toBe('-32602 Unknown server: one')
  })

  test('speaks each client’s own revision where its connection is shared', async () => {
    const { server, gateway, to } = setUp({ sharing: 'process' })
    await using _ = gateway
    const client = await gateway.client({ to })
    expect(client.session.peer?.protocolVersion).toBe('2025-11-25')
    expect(server.received('initialize')).toMatchObject([{ protocolVersion: '2025-11-25' }])
  })

  test('hears of changed roots only where it may ask for them', async () => {
    for (const sharing of ['session', 'process'] as const) {
      const { server, gateway, to } = setUp({ sharing })
      await using _ = gateway
      const client = await gateway.client({ to })
      client.session.notify('notifications/roots/list_changed')
      const expected = sharing === 'session' ? 1 : 0
      expect(server.received('notifications/roots/list_changed')).toHaveLength(expected)
    }
  })

  test('brings news of resources to whoever subscribed, on a shared connection too', async () => {
    const updated = 'notifications/resources/updated'
    for (const sharing of ['session', 'process'] as const) {
      const { server, gateway, to } = setUp({ sharing })
      await using _ = gateway
      const other = await gateway.client({ to })
      const client = await gateway.client({ to })
      await client.session.request('resources/subscribe', { uri: 'x://1' })
      await server.say({ method: updated, params: { uri: 'x://1' } })
      expect([client, other].map((each) => each.received(updated).length)).toEqual([1, 0])
      await client.session.request('resources/unsubscribe', { uri: 'x://1' })
      expect(server.received('resources/unsubscribe')).toHaveLength(1)
      if (sharing === 'session') continue
      await server.say({ method: updated, params: { uri: 'x://1' } })
      expect(client.received(updated)).toHaveLength(1)
    }
  })

  test('comes back when it is used after it had been idle', async () => {
    const { server, gateway, to } = setUp({ idleTimeout: 60_000 })
    await using _ = gateway
    const client = await gateway.client({ to })
    await gateway.clock.advance(61_000)
    await settle()
    expect(server.open).toBe(0)
    expect(await client.text('odd.name/with:all')).toBe('fine')
    expect(server.open).toBe(1)
  })
})
