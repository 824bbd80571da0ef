import { ProtocolError } from '@mobius-mcp/protocol'
import { createSessionMemory } from '@mobius-mcp/testing/session-memory.ts'
import { describe, expect, test } from 'vitest'
import { createGateway, type GatewayOptions, type TestClient } from './support/gateway.ts'
import { answerTools, serveUpstream, text, type Upstream } from './support/upstream.ts'

/** A server with two tools, one of which never works. */
function serve(): Upstream {
  return serveUpstream(
    answerTools(
      {
        fine: () => ({ ...text('fine'), structuredContent: { n: 0 }, _meta: { own: 1 } }),
        broken: () => {
          throw new ProtocolError('INVALID_PARAMS', 'broken')
        },
      },
      {
        'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
        'prompts/get': () => ({ messages: [] }),
      },
    ),
  )
}

const told = (server: string, reason: string) => ({
  _meta: { own: 1, 'mobius-mcp.dev/state-lost': { server, reason } },
  structuredContent: { n: 0 },
  content: [
    { type: 'text', text: 'fine' },
    {
      type: 'text',
      text: `The connection to the server "${server}" was lost and made again (${reason}). What the server may have kept for this session in memory is gone.`,
    },
  ],
})
const untold = { ...text('fine'), structuredContent: { n: 0 }, _meta: { own: 1 } }

const fine = (client: TestClient, server = 'one') => client.call(`${server}__fine`)

/** Two gateways, one after the other, and a session that is in both. */
async function restarted(
  options: GatewayOptions = {},
  before = (client: TestClient) => fine(client),
) {
  const memory = createSessionMemory()
  {
    await using gateway = createGateway({ upstreams: { one: serve(), two: serve() }, ...options })
    await before(await gateway.client({ memory }))
  }
  const gateway = createGateway({ upstreams: { one: serve(), two: serve() }, ...options })
  return { gateway, memory, client: await gateway.client({ memory }) }
}

describe('the first result after a restart of the gateway', () => {
  test('says that what the server kept is gone, and no other does', async () => {
    const { gateway, client } = await restarted()
    await using _ = gateway
    expect(await fine(client)).toEqual(told('one', 'the gateway was restarted'))
    expect(await fine(client)).toEqual(untold)
  })

  test('says nothing of servers that the session had not called, nor to other sessions', async () => {
    const { gateway, client } = await restarted({}, async (first) => {
      await first.names()
      return await fine(first)
    })
    await using _ = gateway
    expect(await fine(client, 'two')).toEqual(untold)
    expect(await fine(await gateway.client({ memory: createSessionMemory() }))).toEqual(untold)
    expect(await fine(await gateway.client())).toEqual(untold)
  })

  test('is the first of a tool: errors, lists and prompts leave it to the next', async () => {
    const { gateway, client } = await restarted()
    await using _ = gateway
    await client.names()
    await client.session.request('prompts/get', { name: 'one__greet' })
    expect(await client.text('one__broken')).toBe('-32602 broken')
    expect(await fine(client)).toEqual(told('one', 'the gateway was restarted'))
  })

  test('says so again after each restart, however long before the server was called', async () => {
    const { gateway, memory, client } = await restarted()
    {
      await using _ = gateway
      await fine(client, 'two')
    }
    await using third = createGateway({ upstreams: { one: serve(), two: serve() } })
    const again = await third.client({ memory })
    expect(await fine(again)).toEqual(told('one', 'the gateway was restarted'))
    expect(await fine(again, 'two')).toEqual(told('two', 'the gateway was restarted'))
  })

  test('says so to every session of a shared connection', async () => {
    const upstreams = { one: [serve(), { sharing: 'process' }] } as const
    const memories = [createSessionMemory(), createSessionMemory()]
    {
      await using gateway = createGateway({ upstreams })
      for (const memory of memories) await fine(await gateway.client({ memory }))
    }
    await using gateway = createGateway({ upstreams: { one: [serve(), { sharing: 'process' }] } })
    const reason = told('one', 'the gateway was restarted')
    for (const memory of memories) {
      const client = await gateway.client({ memory })
      expect(await fine(client)).toEqual(reason)
      expect(await fine(client)).toEqual(untold)
    }
    expect(await fine(await gateway.client())).toEqual(untold)
  })
})

describe('the first result after a server was lost', () => {
  test('says why, also where nothing is remembered', async () => {
    const server = serve()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await fine(client)
    await server.crash()
    expect(await fine(client)).toEqual(told('one', 'exited with code 1'))
    expect(await fine(client)).toEqual(untold)
    await gateway.clock.advance(31 * 60_000)
    expect(await fine(client)).toEqual(
      told('one', 'it was not used for so long that it was closed'),
    )
  })

  test('says so although the next connection was lost before it was used', async () => {
    const server = serve()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await fine(client)
    await server.crash('exited with code 7')
    await client.text('one__broken')
    await server.crash('was ended by SIGTERM')
    expect(await gateway.during(5000, fine(client))).toEqual(told('one', 'exited with code 7'))
  })

  test('says nothing where the session had made no call yet', async () => {
    const server = serve()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names()
    await server.crash()
    expect(await fine(client)).toEqual(untold)
  })

  test.each([
    ['nothing where the server keeps nothing from one request to the next', undefined, untold],
    ['so where it knows the session by an id', 'abc', told('one', 'exited with code 1')],
  ])('over HTTP says %s', async (_, sessionId, expected) => {
    const server = serve()
    const connect = server.connect.bind(server)
    server.connect = async (environment, clock) =>
      Object.assign(await connect(environment, clock), { sessionId })
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await fine(client)
    await server.crash()
    expect(await fine(client)).toEqual(expected)
  })
})
