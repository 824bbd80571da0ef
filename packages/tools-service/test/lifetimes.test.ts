import { defineServer, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGate, createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const upstream = (more: Parameters<typeof answerTools>[1] = {}) =>
  serveUpstream(answerTools({ fine: () => text('fine') }, more))

const resources = {
  'resources/list': () => ({ resources: [{ uri: 'x://1', name: 'one' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
}

const minute = 60_000

describe('a connection that nobody uses', () => {
  test('ends after 30 minutes, which is no failure, and comes back when it is needed', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.text('one__fine')
    await gateway.clock.advance(29 * minute)
    expect(server.open).toBe(1)
    await gateway.clock.advance(2 * minute)
    expect(server.open).toBe(0)
    expect(gateway.service.states()).toMatchObject([{ state: 'idle', reason: undefined }])
    expect(await client.text('one__fine')).toBe('fine')
    expect(gateway.service.states()).toMatchObject([{ state: 'ready', restarts: 0 }])
  })

  test('ends later when it was used meanwhile, counted from the end of the last call', async () => {
    const gate = createGate()
    const server = serveUpstream(
      answerTools({ wait: () => gate.wait().then(() => text('waited')) }),
    )
    const idleTimeout = 10 * minute
    const timeouts = { request: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }
    await using gateway = createGateway({
      upstreams: { one: [server, { idleTimeout, timeouts }] },
    })
    const client = await gateway.client()
    const call = client.text('one__wait')
    await settle()
    await gateway.clock.advance(25 * minute)
    gate.open()
    await settle()
    await gateway.clock.advance(9 * minute)
    expect(server.open).toBe(1)
    await gateway.clock.advance(2 * minute)
    expect(server.open).toBe(0)
    await client.session.close()
    await call
  })

  test('stays while somebody waits for news from it', async () => {
    const server = upstream(resources)
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.session.request('resources/subscribe', { uri: 'x://1' })
    await gateway.clock.advance(120 * minute)
    expect(server.open).toBe(1)
    await client.session.request('resources/unsubscribe', { uri: 'x://1' })
    await gateway.clock.advance(61 * minute)
    expect(server.open).toBe(0)
  })

  test('stays where it is configured to', async () => {
    const server = upstream()
    const idleTimeout = Number.POSITIVE_INFINITY
    await using gateway = createGateway({ upstreams: { one: [server, { idleTimeout }] } })
    await (await gateway.client()).text('one__fine')
    await gateway.clock.advance(24 * 60 * minute)
    expect(server.open).toBe(1)
  })

  test('of a built-in server stays with its session; of headless work, half an hour', async () => {
    const builtIn = defineServer({
      name: 'inside',
      version: '1',
      tools: { fine: tool({ description: 'Fine.', run: () => 'fine' }) },
    })
    await using gateway = createGateway({ builtIns: [builtIn] })
    await (await gateway.client()).text('inside__fine')
    await gateway.clock.advance(120 * minute)
    expect(gateway.service.states()).toMatchObject([{ connections: 1 }])
    for (const name of ['one', 'two', 'three']) {
      const principal = { id: name, scopes: [] }
      const caller = gateway.service.callerFor({ principal, origin: { kind: 'task', name } })
      await caller.call({ server: 'inside', tool: 'fine' }, {})
    }
    expect(gateway.service.states()).toMatchObject([{ connections: 4 }])
    await gateway.clock.advance(31 * minute)
    expect(gateway.service.states()).toMatchObject([{ connections: 1 }])
  })
})

describe('when a session ends', () => {
  test('its connections end, and those of others stay', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const first = await gateway.client()
    const second = await gateway.client()
    await first.text('one__fine')
    await second.text('one__fine')
    await first.session.close()
    await settle()
    expect(server.open).toBe(1)
    expect(await second.text('one__fine')).toBe('fine')
    expect(server.attempts).toBe(2)
  })

  test('a shared connection stays, without its subscriptions', async () => {
    const server = upstream(resources)
    await using gateway = createGateway({ upstreams: { one: [server, { sharing: 'process' }] } })
    const first = await gateway.client()
    const second = await gateway.client()
    await first.session.request('resources/subscribe', { uri: 'x://1' })
    await second.session.request('resources/subscribe', { uri: 'x://1' })
    await first.session.close()
    await settle()
    expect(server.received('resources/unsubscribe')).toEqual([])
    await second.session.close()
    await settle()
    expect(server.received('resources/unsubscribe')).toEqual([{ uri: 'x://1' }])
    expect(server.open).toBe(1)
    await gateway.clock.advance(61 * minute)
    expect(server.open).toBe(0)
  })

  test('nothing is started for it any more', async () => {
    const server = upstream()
    const inside = defineServer({
      name: 'inside',
      version: '1',
      tools: {
        later: tool({
          description: 'Calls when its session has ended.',
          async run(_, { caller }) {
            await gate.wait()
            result.push(await errorOf(caller.call({ server: 'one', tool: 'fine' }, {})))
            return 'done'
          },
        }),
      },
    })
    const gate = createGate()
    const result: string[] = []
    await using gateway = createGateway({ upstreams: { one: server }, builtIns: [inside] })
    const client = await gateway.client()
    await client.names()
    await settle()
    const { attempts } = server
    const call = errorOf(client.call('inside__later'))
    await settle()
    await client.session.close()
    await call
    gate.open()
    await settle()
    expect(result).toMatchInlineSnapshot(`
      [
        "-32005 Server "one" is not available: the session that it was needed for has ended",
      ]
    `)
    expect(server.attempts).toBe(attempts)
  })
})

describe('close', () => {
  test('ends every connection and every server, and nothing starts afterwards', async () => {
    let ended = 0
    const server = upstream()
    const builtIn = (instance: 'session' | 'process') =>
      defineServer({
        name: instance,
        version: '1',
        instance,
        tools: { fine: tool({ description: 'Fine.', run: () => 'fine' }) },
        setup({ closing }) {
          closing.addEventListener('abort', () => {
            ended += 1
          })
          return {}
        },
      })
    await using gateway = createGateway({
      upstreams: { one: server },
      builtIns: [builtIn('session'), builtIn('process')],
    })
    const client = await gateway.client()
    for (const name of ['one', 'session', 'process']) await client.text(`${name}__fine`)
    await gateway.service.call({ server: 'one', tool: 'fine' }, {})
    await gateway.service.close()
    await settle()
    expect(server.open).toBe(0)
    expect(ended).toBe(2)
    expect(await client.text('one__fine')).toMatchInlineSnapshot(
      `"-32005 Server "one" is not available: the service was closed"`,
    )
    expect(server.attempts).toBe(2)
    await gateway.service.close()
  })

  test('gives up what is being started', async () => {
    const server = upstream()
    server.stuck = true
    await using gateway = createGateway({ upstreams: { one: server } })
    const call = errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
    await settle()
    await gateway.service.close()
    expect(await call).toMatchInlineSnapshot(
      `"-32005 Server "one" is not available: the work has ended"`,
    )
    expect(server.environments[0]?.signal.aborted).toBe(true)
  })

  test('fails the calls in flight', async () => {
    const gate = createGate()
    const server = serveUpstream(answerTools({ wait: () => gate.wait() }))
    await using gateway = createGateway({ upstreams: { one: server } })
    const call = (await gateway.client()).text('one__wait')
    await settle()
    await gateway.service.close()
    expect(await call).toMatchInlineSnapshot(
      `"-32000 one/wait: connection closed: the service was closed"`,
    )
  })
})
