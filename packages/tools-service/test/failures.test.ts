import { createWirePair, defineServer, type Wire } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGate, createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text, Upstream } from './support/upstream.ts'

const upstream = () => serveUpstream(answerTools({ fine: () => text('fine') }))

describe('a server that does not start', () => {
  test('is an error that says which and why', async () => {
    const server = upstream()
    server.failure = new Error('spawn nothing ENOENT')
    await using gateway = createGateway({ upstreams: { one: server } })
    await expect(gateway.service.call({ server: 'one', tool: 'fine' }, {})).rejects.toMatchObject({
      number: -32005,
      message: 'Server "one" is not available: spawn nothing ENOENT',
      data: { server: 'one', reason: 'spawn nothing ENOENT' },
    })
  })

  test.each<{ how: string; serve: (wire: Wire) => unknown; reason: string }>([
    {
      how: 'dies during the handshake',
      serve: async (wire) => {
        wire.onmessage = () => void wire.close()
        await wire.start()
      },
      reason: 'the other end closed the connection',
    },
    {
      how: 'refuses the handshake',
      serve: async (wire) => {
        wire.onmessage = (message) => {
          const { id } = message as { id?: number }
          const error = { code: -32000, message: 'Not today' }
          if (id !== undefined) void wire.send({ jsonrpc: '2.0', id, error })
        }
        await wire.start()
      },
      reason: 'Not today',
    },
    {
      how: 'speaks a revision of its own',
      serve: async (wire) => {
        wire.onmessage = (message) => {
          const { id } = message as { id?: number }
          const result = { protocolVersion: '1999-01-01', capabilities: {} }
          if (id !== undefined) void wire.send({ jsonrpc: '2.0', id, result })
        }
        await wire.start()
      },
      reason:
        'The server speaks MCP revision 1999-01-01; supported here: 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07',
    },
  ])('because it $how is closed, and says so', async ({ serve, reason }) => {
    const server = new Upstream(serve)
    await using gateway = createGateway({ upstreams: { one: server } })
    expect(await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))).toBe(
      `-32005 Server "one" is not available: ${reason}`,
    )
    expect(server.open).toBe(0)
    expect(gateway.service.states()).toMatchObject([{ state: 'waiting', reason, connections: 0 }])
  })

  test('in time is given up, and what comes late is closed', async () => {
    const wires: Wire[] = []
    const gate = createGate<Wire>()
    let signal: AbortSignal | undefined
    const server = new Upstream(() => {})
    server.connect = async (environment) => {
      signal = environment.signal
      return await gate.wait()
    }
    await using gateway = createGateway({ upstreams: { one: server }, startTimeout: 5000 })
    const call = errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
    await settle()
    await gateway.clock.advance(5000)
    expect(await call).toMatchInlineSnapshot(
      `"-32005 Server "one" is not available: it did not answer within 5 s"`,
    )
    expect(signal?.aborted).toBe(true)
    const [near, far] = createWirePair()
    far.onclose = () => wires.push(far)
    await far.start()
    gate.open(near)
    await settle()
    expect(wires).toEqual([far])
  })

  test('or shake hands in time is given up, and its connection closed', async () => {
    const server = new Upstream((wire) => wire.start())
    await using gateway = createGateway({ upstreams: { one: server } })
    const call = errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
    await settle()
    await gateway.clock.advance(60_000)
    expect(await call).toMatchInlineSnapshot(
      `"-32005 Server "one" is not available: it did not answer within 60 s"`,
    )
    expect(server.open).toBe(0)
  })

  test('for a client that has left is not waited for', async () => {
    const server = upstream()
    server.stuck = true
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const names = errorOf(client.names())
    await settle()
    await client.session.close()
    await names
    await settle()
    expect(server.environments[0]?.signal.aborted).toBe(true)
    expect(gateway.service.states()).toMatchObject([{ state: 'idle', reason: undefined }])
  })

  test('empties no list, and is named on it', async () => {
    const down = upstream()
    down.failure = new Error('no route to host')
    await using gateway = createGateway({ upstreams: { down, one: upstream() } })
    const client = await gateway.client()
    expect(await client.session.request('tools/list', {})).toMatchInlineSnapshot(`
      {
        "_meta": {
          "mobius-mcp.dev/missing": [
            {
              "reason": "no route to host",
              "server": "down",
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
    expect(await client.text('one__fine')).toBe('fine')
  })

  test('appears on the list when it does', async () => {
    const down = upstream()
    down.failure = new Error('no route to host')
    await using gateway = createGateway({ upstreams: { down, one: upstream() } })
    const client = await gateway.client()
    expect(await client.names()).toEqual(['one__fine'])
    await gateway.clock.advance(10_000)
    expect(client.received('notifications/tools/list_changed')).toEqual([])
    down.failure = undefined
    await gateway.clock.advance(30_000)
    expect(client.received('notifications/tools/list_changed')).toHaveLength(1)
    expect(await client.names()).toEqual(['down__fine', 'one__fine'])
  })
})

describe('a server that dies', () => {
  test('fails the calls in flight at once, naming it and the cause', async () => {
    const gate = createGate()
    const server = serveUpstream(answerTools({ wait: () => gate.wait() }))
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const calls = [client.text('one__wait'), client.text('one__wait')]
    await settle()
    await server.crash('exited with code 137')
    expect(await Promise.all(calls)).toMatchInlineSnapshot(`
      [
        "-32000 one/wait: connection closed: exited with code 137",
        "-32000 one/wait: connection closed: exited with code 137",
      ]
    `)
  })

  test('is started again by the next call of the same client, at once', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('fine')
    await server.crash('exited with code 137')
    expect(gateway.service.states()).toMatchObject([
      { state: 'waiting', reason: 'exited with code 137', connections: 0 },
    ])
    expect(await client.text('one__fine')).toBe('fine')
    expect(gateway.service.states()).toMatchObject([
      { state: 'ready', reason: undefined, connections: 1, restarts: 1 },
    ])
  })

  test('harms no other server, and no other client of its own', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server, two: upstream() } })
    const first = await gateway.client()
    const second = await gateway.client()
    await first.text('one__fine')
    await second.text('one__fine')
    await server.crash('exited', server.wires[0])
    expect(await first.names()).toEqual(['one__fine', 'two__fine'])
    expect(await first.text('two__fine')).toBe('fine')
    expect(server.attempts).toBe(2)
    expect(await second.text('one__fine')).toBe('fine')
    expect(server.attempts).toBe(2)
  })

  test('right after its handshake is not used', async () => {
    let alive = false
    const server = serveUpstream(
      answerTools(
        { fine: () => text('fine') },
        {
          'notifications/initialized': (_, { session }) =>
            alive ? undefined : session.close('it has died'),
        },
      ),
    )
    for (const sharing of ['session', 'process'] as const) {
      alive = false
      await using gateway = createGateway({ upstreams: { one: [server, { sharing }] } })
      const call = () => errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
      expect(await call()).toMatch(/^-32005 Server "one" is not available/)
      alive = true
      expect(await gateway.during(1000, call())).toBe('no error')
    }
  })

  test('that does not even close properly breaks nothing', async () => {
    const server = upstream()
    const connect = server.connect.bind(server)
    server.connect = async (environment, clock) => {
      const near = await connect(environment, clock)
      const close = near.close.bind(near)
      near.close = async () => {
        await close()
        throw new Error('kill EPERM')
      }
      return near
    }
    await using gateway = createGateway({ upstreams: { one: [server, { idleTimeout: 1000 }] } })
    const client = await gateway.client()
    await client.text('one__fine')
    await gateway.clock.advance(2000)
    expect(gateway.logs).toContain('one: It did not close properly: kill EPERM')
  })
})

describe('a client that leaves', () => {
  test('is no failure of the server that it used', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    for (const _ of [1, 2, 3]) {
      const client = await gateway.client()
      await client.text('one__fine')
      await client.session.close()
    }
    expect(server.open).toBe(0)
    expect(gateway.service.states()).toMatchObject([
      { state: 'idle', reason: undefined, connections: 0, restarts: 0 },
    ])
  })

  test('ends what was built for it', async () => {
    let ended: unknown
    const server = defineServer({
      name: 'inside',
      version: '1',
      tools: {},
      setup({ closing }) {
        closing.addEventListener('abort', () => {
          ended = closing.reason
        })
        return {}
      },
    })
    await using gateway = createGateway({ builtIns: [server] })
    const client = await gateway.client()
    await client.names()
    expect(ended).toBeUndefined()
    await client.session.close()
    await settle()
    expect(ended).toBeInstanceOf(Error)
    expect(gateway.service.states()).toMatchObject([{ state: 'idle', connections: 0 }])
  })
})
