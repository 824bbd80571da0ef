import { defineServer, type JsonObject, type MessageContext, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import {
  createGate,
  createGateway,
  type GatewayOptions,
  type TestClient,
} from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const progress = 'notifications/progress'

/** A tool that works as long as the test wants it to, and says how far it is. */
function working() {
  const gate = createGate()
  let context: MessageContext | undefined
  const server = serveUpstream(
    answerTools({
      work: async (_, given) => {
        context = given
        await gate.wait()
        return text('done')
      },
      other: async () => {
        await gate.wait()
        return text('done')
      },
    }),
  )
  return {
    server,
    finish: () => gate.open(),
    report: (value: number, more: JsonObject = {}) =>
      context?.progress({ progress: value, ...more }),
  }
}

const call = (client: TestClient, _meta: JsonObject = {}) =>
  client.session.request('tools/call', { name: 'one__work', _meta }).then(
    ({ content }) => JSON.stringify(content),
    (error: Error) => error.message,
  )

describe('progress', () => {
  // The session would map the token to one of its own; a raw client's token is what matters here.
  test.each(['a string', '7', 7, 0, ''])(
    'comes with exactly the client’s token: %j',
    async (token) => {
      const { server, finish, report } = working()
      await using gateway = createGateway({ upstreams: { one: server } })
      const client = await gateway.client()
      await client.names()
      client.raw({
        id: 'x',
        method: 'tools/call',
        params: { name: 'one__work', _meta: { progressToken: token } },
      })
      await settle()
      report(1, { total: 10, message: 'so far', 'x-y': null })
      expect(client.received(progress)).toEqual([
        { progress: 1, total: 10, message: 'so far', 'x-y': null, progressToken: token },
      ])
      expect(client.related.at(-1)).toBe('x')
      finish()
    },
  )

  test('is not sent to a client that gave no token', async () => {
    const { server, finish, report } = working()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const result = call(client)
    await settle()
    report(1)
    finish()
    await result
    expect(client.received(progress)).toEqual([])
  })

  test('of a call that is over is not sent', async () => {
    const { server, finish, report } = working()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const told: number[] = []
    const result = client.session.request(
      'tools/call',
      { name: 'one__work' },
      { onProgress: (each) => told.push(each.progress) },
    )
    await settle()
    report(1)
    finish()
    await result
    report(2)
    await settle()
    expect(told).toEqual([1])
    expect(client.received(progress)).toHaveLength(1)
  })

  test('of a built-in server and what it calls goes where each was asked for', async () => {
    const { server, finish, report } = working()
    const inner: number[] = []
    const outer = defineServer({
      name: 'outer',
      version: '1',
      tools: {
        go: tool({
          description: 'Calls another.',
          async run(_, context) {
            context.progress({ progress: 50 })
            const onProgress = (each: { progress: number }) => inner.push(each.progress)
            await context.caller.call({ server: 'one', tool: 'work' }, {}, { onProgress })
            return 'done'
          },
        }),
      },
    })
    await using gateway = createGateway({ builtIns: [outer], upstreams: { one: server } })
    const client = await gateway.client()
    const told: number[] = []
    const result = client.session.request(
      'tools/call',
      { name: 'outer__go' },
      { onProgress: (each) => told.push(each.progress) },
    )
    await settle()
    report(1)
    finish()
    await result
    expect([told, inner]).toEqual([[50], [1]])
  })
})

describe('a call that takes too long', () => {
  const start = async (options: GatewayOptions) => {
    const gateway = createGateway(options)
    const client = await gateway.client()
    await client.names()
    return { gateway, client }
  }

  test('fails after five minutes without a sign of life, naming server, tool and limit', async () => {
    const { server } = working()
    const { gateway, client } = await start({ upstreams: { one: server } })
    await using _ = gateway
    const result = call(client)
    await settle()
    await gateway.clock.advance(299_000)
    expect(server.received('notifications/cancelled')).toEqual([])
    await gateway.clock.advance(1100)
    expect(await result).toBe('one/work timed out: no answer within 300 s')
    expect(server.received('notifications/cancelled')).toMatchObject([
      { reason: 'no answer within 300 s' },
    ])
    expect(gateway.events).toMatchObject([{ outcome: 'error', error: { code: -32001 } }])
  })

  test('lives on progress, though the client asked for none', async () => {
    const { server, finish, report } = working()
    const timeouts = { request: 1000, idle: 1000 }
    const { gateway, client } = await start({ upstreams: { one: [server, { timeouts }] } })
    await using _ = gateway
    const result = call(client)
    await settle()
    for (let count = 0; count < 10; count++) {
      await gateway.clock.advance(900)
      report(count)
    }
    finish()
    expect(await result).toContain('done')
  })

  test('lives on log messages, too', async () => {
    let context: MessageContext | undefined
    const gate = createGate()
    const server = serveUpstream(
      answerTools({
        work: async (_, given) => {
          context = given
          await gate.wait()
          return text('done')
        },
      }),
    )
    const timeouts = { request: 1000, idle: 1000 }
    const { gateway, client } = await start({ upstreams: { one: [server, { timeouts }] } })
    await using _ = gateway
    const result = call(client)
    await settle()
    for (let count = 0; count < 5; count++) {
      await gateway.clock.advance(900)
      context?.notify('notifications/message', { level: 'info', data: count })
    }
    gate.open()
    expect(await result).toContain('done')
  })

  test('fails when the signs of life end', async () => {
    const { server, report } = working()
    const timeouts = { request: 1000, idle: 2000 }
    const { gateway, client } = await start({ upstreams: { one: [server, { timeouts }] } })
    await using _ = gateway
    const result = call(client)
    await settle()
    await gateway.clock.advance(500)
    report(1)
    await gateway.clock.advance(2100)
    expect(await result).toBe('one/work timed out: no sign of life for 2 s')
  })

  test('fails in the end, however lively it is', async () => {
    const { server, report } = working()
    const timeouts = { request: 1000, idle: 1000, total: 3000 }
    const { gateway, client } = await start({ upstreams: { one: [server, { timeouts }] } })
    await using _ = gateway
    const result = call(client)
    await settle()
    for (let count = 0; count < 6; count++) {
      await gateway.clock.advance(550)
      report(count)
    }
    expect(await result).toBe('one/work timed out: no answer, in all, within 3 s')
  })

  test('has the tool’s own limits before the server’s, and those before everybody’s', async () => {
    const { server } = working()
    const { gateway, client } = await start({
      timeouts: { request: 3000, total: 9000 },
      upstreams: {
        one: [server, { timeouts: { request: 2000 }, toolTimeouts: { work: { request: 1000 } } }],
        two: server,
      },
    })
    await using _ = gateway
    const results = ['one__work', 'one__other', 'two__work'].map((name) => client.text(name))
    await settle()
    await gateway.clock.advance(3100)
    expect(await Promise.all(results)).toEqual([
      '-32001 one/work timed out: no answer within 1 s',
      '-32001 one/other timed out: no answer within 2 s',
      '-32001 two/work timed out: no answer within 3 s',
    ])
  })

  test('has its caller’s limits before all others; what those leave out stays', async () => {
    const { server } = working()
    await using gateway = createGateway({
      upstreams: { one: [server, { toolTimeouts: { work: { request: 5000, total: 2000 } } }] },
    })
    const caller = gateway.service
    const target = { server: 'one', tool: 'work' }
    await caller.list('tools', ['one'])
    const results = [{ request: 1000 }, { idle: 1 }].map((timeouts) =>
      caller.call(target, {}, { timeouts }).catch((error: Error) => error.message),
    )
    await settle()
    await gateway.clock.advance(2100)
    expect(await Promise.all(results)).toEqual([
      'one/work timed out: no answer within 1 s',
      'one/work timed out: no answer, in all, within 2 s',
    ])
  })

  test('leaves the connection for the others', async () => {
    const { server } = working()
    const timeouts = { request: 1000 }
    const { gateway, client } = await start({ upstreams: { one: [server, { timeouts }] } })
    await using _ = gateway
    const result = call(client)
    await settle()
    await gateway.clock.advance(1100)
    await result
    expect(server.open).toBe(1)
    expect(await client.names()).toEqual(['one__work', 'one__other'])
  })
})
