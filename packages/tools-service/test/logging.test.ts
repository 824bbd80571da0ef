import type { JsonObject, MessageContext } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import type { Sharing } from '../src/index.ts'
import { createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const message = 'notifications/message'

/** Logs what it is told to, as part of its call or beside it. */
function logging() {
  return serveUpstream(
    answerTools(
      {
        log: ({ arguments: args }, context: MessageContext) => {
          context.notify(message, args as JsonObject)
          return text('logged')
        },
        beside: ({ arguments: args }, context: MessageContext) => {
          context.session.notify(message, args as JsonObject)
          return text('logged')
        },
      },
      { 'logging/setLevel': () => ({}) },
    ),
  )
}

const connected = async (sharing: Sharing) => {
  const server = logging()
  const gateway = createGateway({ upstreams: { one: [server, { sharing }] } })
  const clients = [await gateway.client(), await gateway.client()] as const
  for (const client of clients) await client.text('one__log', { level: 'error', data: 'first' })
  for (const { messages, related } of clients) {
    messages.length = 0
    related.length = 0
  }
  return { server, gateway, clients }
}

describe('a log message', () => {
  test.each(['session', 'process'] as const)(
    'goes with the call that it belongs to, and to nobody else (%s)',
    async (sharing) => {
      const { gateway, clients } = await connected(sharing)
      await using _ = gateway
      const [anna, bert] = clients
      const params = { level: 'info', data: { a: null }, logger: 'l', 'x-y': false }
      await Promise.all([anna.call('one__log', params), bert.call('one__log', { level: 'info' })])
      expect(anna.received(message)).toEqual([params])
      const at = anna.messages.findIndex((each) => 'method' in each && each.method === message)
      expect(anna.related[at]).toBeTypeOf('number')
      expect(bert.received(message)).toEqual([{ level: 'info' }])
    },
  )

  test('that names no call goes with the only one in flight', async () => {
    const { gateway, clients } = await connected('process')
    await using _ = gateway
    const [anna, bert] = clients
    await anna.call('one__beside', { level: 'info' })
    expect(anna.received(message)).toEqual([{ level: 'info' }])
    expect(bert.received(message)).toEqual([])
  })

  test('outside any call goes to the client whose connection it is', async () => {
    const { server, gateway, clients } = await connected('session')
    await using _ = gateway
    await server.say({ method: message, params: { level: 'info', data: 'on its own' } })
    expect(clients.map((client) => client.received(message))).toEqual([
      [],
      [{ level: 'info', data: 'on its own' }],
    ])
  })

  test('outside any call is shown to everyone of one principal, and to nobody of several', async () => {
    for (const sharing of ['principal', 'process'] as const) {
      const { server, gateway, clients } = await connected(sharing)
      await using _ = gateway
      await server.say({ method: message, params: { level: 'info' } })
      const expected = sharing === 'principal' ? 1 : 0
      expect(clients.map((client) => client.received(message).length)).toEqual([expected, expected])
    }
  })
})

describe('the level', () => {
  test('is each session’s own', async () => {
    const { server, gateway, clients } = await connected('session')
    await using _ = gateway
    const [anna] = clients
    await anna.session.request('logging/setLevel', { level: 'error', 'x-y': null })
    expect(server.received('logging/setLevel')).toMatchObject([{ level: 'error', 'x-y': null }])
  })

  test('is set on connections that are opened later', async () => {
    const server = logging()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.session.request('logging/setLevel', { level: 'error' })
    expect(server.attempts).toBe(0)
    await client.call('one__log', { level: 'error' })
    const methods = server.sent.map((each) => 'method' in each && each.method)
    expect(methods.indexOf('logging/setLevel')).toBeLessThan(methods.indexOf('tools/call'))
  })

  test('of a shared connection lets through what anybody wants, and each gets what it wants', async () => {
    const { server, gateway, clients } = await connected('process')
    await using _ = gateway
    const [anna, bert] = clients
    await anna.session.request('logging/setLevel', { level: 'debug' })
    await bert.session.request('logging/setLevel', { level: 'error' })
    expect(server.received('logging/setLevel').map(({ level }) => level)).toEqual([
      'debug',
      'debug',
    ])
    for (const client of clients) {
      await client.call('one__log', { level: 'info' })
      await client.call('one__log', { level: 'error' })
      await client.call('one__log', { level: 'unheard of' })
    }
    expect(anna.received(message).map(({ level }) => level)).toEqual([
      'info',
      'error',
      'unheard of',
    ])
    expect(bert.received(message).map(({ level }) => level)).toEqual(['error', 'unheard of'])
  })

  test('that there is not is refused', async () => {
    const { gateway, clients } = await connected('session')
    await using _ = gateway
    const set = clients[0].session.request('logging/setLevel', { level: 'loud' })
    expect(await errorOf(set)).toMatchInlineSnapshot(
      `"-32602 Invalid params: "level" must be one of debug, info, notice, warning, error, critical, alert, emergency, received "loud""`,
    )
  })

  test('that a server refuses is noted, and breaks nothing', async () => {
    const server = serveUpstream(
      answerTools(
        { fine: () => text('fine') },
        {
          'logging/setLevel': () => {
            throw new Error('no')
          },
        },
      ),
    )
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.session.request('logging/setLevel', { level: 'error' })
    expect(await client.text('one__fine')).toBe('fine')
    await client.session.request('logging/setLevel', { level: 'debug' })
    await settle()
    expect(gateway.logs).toMatchInlineSnapshot(`
      [
        "one: logging/setLevel after a reconnect failed: Internal error",
        "one: logging/setLevel failed: Internal error",
      ]
    `)
  })
})
