import { ProtocolError, type Wire } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, type GatewayOptions } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text, type Upstream } from './support/upstream.ts'

/** Makes its connections fail, from now on, as one does whose server has forgotten the session. */
function forget(server: Upstream, methods = ['tools/call']): { times: number } {
  const state = { times: 1 }
  const connect = server.connect.bind(server)
  server.connect = async (environment, clock) => {
    const near = await connect(environment, clock)
    const send = near.send.bind(near) as Wire['send']
    near.send = async (message, options) => {
      if (state.times === 0 || !('method' in message) || !methods.includes(message.method)) {
        return await send(message, options)
      }
      state.times -= 1
      throw new ProtocolError('SESSION_LOST', 'http://one has forgotten the session')
    }
    return near
  }
  return state
}

function setUp(options: GatewayOptions = {}) {
  const ran: string[] = []
  const server = serveUpstream(
    answerTools({
      fine: () => {
        ran.push('fine')
        return text('fine')
      },
    }),
  )
  const loss = forget(server)
  const gateway = createGateway({ upstreams: { one: server }, ...options })
  return { server, loss, gateway, ran }
}

describe('a call for which the server had forgotten the session', () => {
  test('is made again in a new session, once, and nobody notices', async () => {
    const { server, gateway, ran } = setUp()
    await using _ = gateway
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('fine')
    expect(ran).toEqual(['fine'])
    expect(server.attempts).toBe(2)
    expect(gateway.events).toMatchObject([{ outcome: 'ok' }])
    expect(gateway.service.states()).toMatchObject([{ state: 'ready', reason: undefined }])
  })

  test('fails when the new session is forgotten as well', async () => {
    const { server, loss, gateway, ran } = setUp()
    await using _ = gateway
    loss.times = 2
    const client = await gateway.client()
    expect(await client.text('one__fine')).toMatchInlineSnapshot(
      `"-32007 one/fine: http://one has forgotten the session"`,
    )
    expect(ran).toEqual([])
    expect(server.attempts).toBe(2)
    expect(await client.text('one__fine')).toBe('fine')
  })

  test('shares the new session with all that were lost with it', async () => {
    const { server, loss, gateway } = setUp()
    await using _ = gateway
    const client = await gateway.client()
    await client.names()
    loss.times = 5
    const calls = Array.from({ length: 5 }, () => client.text('one__fine'))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['fine']))
    expect(server.attempts).toBe(2)
  })

  test('asks its rules once', async () => {
    let asked = 0
    const { gateway } = setUp({
      authorize: () => {
        asked += 1
        return { decision: 'allow' }
      },
    })
    await using _ = gateway
    await (await gateway.client()).text('one__fine')
    expect(asked).toBe(1)
  })
})

test('a server that answers with our number for it is not believed', async () => {
  let ran = 0
  const server = serveUpstream(
    answerTools({
      fine: () => {
        ran += 1
        throw new ProtocolError({ code: -32007, message: 'do it again' })
      },
    }),
  )
  await using gateway = createGateway({ upstreams: { one: server } })
  const client = await gateway.client()
  expect(await client.text('one__fine')).toBe('-32007 do it again')
  expect(ran).toBe(1)
  expect(server.attempts).toBe(1)
})

describe('after a loss', () => {
  function watched() {
    return serveUpstream(
      answerTools(
        { fine: () => text('fine') },
        {
          'resources/list': () => ({ resources: [{ uri: 'x://1', name: 'one' }] }),
          'resources/templates/list': () => ({ resourceTemplates: [] }),
          'resources/subscribe': () => ({}),
          'resources/unsubscribe': () => ({}),
          'logging/setLevel': () => ({}),
        },
      ),
    )
  }

  test('a connection comes back by itself while somebody waits for news, with subscription and level', async () => {
    const server = watched()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.session.request('logging/setLevel', { level: 'warning' })
    await client.session.request('resources/subscribe', { uri: 'x://1' })
    await server.crash()
    expect(server.open).toBe(0)
    await gateway.clock.advance(1000)
    expect(server.attempts).toBe(2)
    expect(server.received('resources/subscribe')).toMatchObject([
      { uri: 'x://1' },
      { uri: 'x://1' },
    ])
    expect(server.received('logging/setLevel')).toMatchObject([
      { level: 'warning' },
      { level: 'warning' },
    ])
    await server.say({ method: 'notifications/resources/updated', params: { uri: 'x://1' } })
    expect(client.received('notifications/resources/updated')).toEqual([{ uri: 'x://1' }])
  })

  test('it is tried until it works, or nobody wants to know any more', async () => {
    const server = watched()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.session.request('resources/subscribe', { uri: 'x://1' })
    server.failure = new Error('no route to host')
    await server.crash()
    await gateway.clock.advance(120_000)
    expect(server.attempts).toBeGreaterThan(5)
    server.failure = undefined
    await gateway.clock.advance(30_000)
    expect(server.open).toBe(1)
    await client.session.request('resources/unsubscribe', { uri: 'x://1' })
    const { attempts } = server
    await server.crash()
    await gateway.clock.advance(120_000)
    expect(server.attempts).toBe(attempts)
  })

  test('nothing is started for a client that waits for nothing', async () => {
    const server = watched()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.text('one__fine')
    await server.crash()
    await gateway.clock.advance(120_000)
    expect(server.attempts).toBe(1)
  })

  test('a list that reads differently now is told', async () => {
    const tools = [{ name: 'fine', inputSchema: { type: 'object' } }]
    const server = serveUpstream(
      answerTools({ fine: () => text('fine') }, { 'tools/list': () => ({ tools }) }),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names()
    await server.crash()
    tools.push({ name: 'more', inputSchema: { type: 'object' } })
    expect(await client.text('one__fine')).toBe('fine')
    await gateway.clock.advance(1000)
    await settle()
    expect(client.received('notifications/tools/list_changed')).toHaveLength(1)
    expect(await client.names()).toEqual(['one__fine', 'one__more'])
  })
})
