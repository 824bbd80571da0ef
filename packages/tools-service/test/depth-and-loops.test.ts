import { defineServer, type MessageHandler, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from './support/gateway.ts'
import { answerTools, configure, serveUpstream, text, type Upstream } from './support/upstream.ts'

describe('a server that calls itself', () => {
  const dog = defineServer({
    name: 'dog',
    version: '1',
    tools: {
      chase: tool({
        description: 'Chases its tail.',
        async run(_, { caller }) {
          const { content } = await caller.call({ server: 'dog', tool: 'chase' }, {})
          return String(content[0]?.text)
        },
      }),
    },
  })

  test('is stopped by the sixteenth call', async () => {
    await using gateway = createGateway({ builtIns: [dog] })
    const client = await gateway.client()
    expect(await client.text('dog__chase')).toMatchInlineSnapshot(
      `"dog/chase was refused: the chain of calls that led to it is 16 long."`,
    )
    expect(gateway.events).toHaveLength(17)
    expect(gateway.events.map(({ depth }) => depth)).toEqual([
      16,
      ...[...Array(16).keys()].reverse(),
    ])
  })

  test('is stopped earlier where that is configured', async () => {
    await using gateway = createGateway({ builtIns: [dog], maxDepth: 3 })
    const client = await gateway.client()
    expect(await client.text('dog__chase')).toMatchInlineSnapshot(
      `"dog/chase was refused: the chain of calls that led to it is 3 long."`,
    )
  })
})

/** A way back into a gateway that is made later. */
function wayBack(find: () => MessageHandler): Upstream {
  return serveUpstream({ onMessage: (message, context) => find().onMessage(message, context) })
}

const plain = () => serveUpstream(answerTools({ fine: () => text('fine') }))

describe('a gateway that is its own upstream', () => {
  function loop(more: { door?: (gateway: Gateway) => MessageHandler } = {}) {
    const self = wayBack(() => more.door?.(gateway) ?? gateway.published)
    const gateway: Gateway = createGateway({ upstreams: { one: plain(), self } })
    return { gateway, self }
  }

  test('lists at once, and nothing of itself', async () => {
    const { gateway } = loop()
    await using _ = gateway
    const client = await gateway.client()
    expect(await gateway.during(0, client.names())).toEqual(['one__fine'])
  })

  test('lists the same whenever it is asked, and never says that something changed', async () => {
    const { gateway, self } = loop()
    await using _ = gateway
    for (let round = 0; round < 5; round++) {
      const client = await gateway.client()
      expect(await gateway.during(10_000, client.names())).toEqual(['one__fine'])
      expect(await client.text('one__fine')).toBe('fine')
      await gateway.clock.advance(10_000)
      expect(client.received('notifications/tools/list_changed')).toEqual([])
    }
    expect(self.attempts).toBeLessThan(5)
  })

  test('refuses by name what would go round and round', async () => {
    const { gateway, self } = loop({
      door: ({ service }) => service.publishServer('self') as MessageHandler,
    })
    await using _ = gateway
    const to = gateway.service.publishServer('self') as MessageHandler
    await expect(gateway.client({ to })).rejects.toMatchInlineSnapshot(
      `[ProtocolError: Server "self" is not available: Server "self" is not available: Server "self" leads back to this gateway, again and again]`,
    )
    expect(self.attempts).toBe(2)
  })

  test('may be the door to one of its own servers', async () => {
    const { gateway } = loop({
      door: ({ service }) => service.publishServer('one') as MessageHandler,
    })
    await using _ = gateway
    const client = await gateway.client()
    expect(await client.names()).toEqual(['one__fine', 'self__fine'])
    expect(await client.text('self__fine')).toBe('fine')
    expect(gateway.events.map(({ server, depth }) => ({ server, depth })).slice(-2)).toEqual([
      { server: 'one', depth: 0 },
      { server: 'self', depth: 0 },
    ])
  })

  test('stops a call that comes back too often', async () => {
    const { gateway } = loop()
    await using _ = gateway
    const client = await gateway.client()
    const hops = Array.from({ length: 16 }, (_each, index) => `gateway-${index}`)
    const params = { name: 'one__fine', _meta: { 'mobius-mcp.dev/hops': hops } }
    await gateway.during(0, client.names())
    await expect(client.session.request('tools/call', params)).rejects.toMatchInlineSnapshot(
      `[ProtocolError: one/fine was refused: the chain of calls that led to it is 16 long. A server here probably leads back to this gateway.]`,
    )
  })
})

describe('two gateways that are each other’s upstreams', () => {
  test('list what both have, once, and settle', async () => {
    const toLeft = wayBack(() => left.published)
    const toRight = wayBack(() => right.published)
    const left: Gateway = createGateway({ upstreams: { one: plain(), right: toRight } })
    const right: Gateway = createGateway({ upstreams: { two: plain(), left: toLeft } })
    await using _left = left
    await using _right = right
    const client = await left.client()
    const other = await right.client()
    const both = async (milliseconds: number) => {
      await left.clock.advance(milliseconds)
      await right.clock.advance(milliseconds)
    }
    const names = client.names()
    const otherNames = other.names()
    await both(0)
    await both(10_000)
    await both(10_000)
    await Promise.all([names, otherNames])
    expect(await client.names()).toEqual(['one__fine', 'right__two__fine'])
    expect(await other.names()).toEqual(['two__fine', 'left__one__fine'])
    expect(await client.text('right__two__fine')).toBe('fine')
    for (let round = 0; round < 5; round++) await both(10_000)
    const told = client.received('notifications/tools/list_changed').length
    for (let round = 0; round < 5; round++) await both(10_000)
    expect(client.received('notifications/tools/list_changed')).toHaveLength(told)
    expect(await client.names()).toEqual(['one__fine', 'right__two__fine'])
  })
})

test('a chain of gateways lists and calls what lies at its end, and clients see no trace of it', async () => {
  const end = createGateway({ upstreams: { one: plain() } })
  const middle = createGateway({ upstreams: { end: wayBack(() => end.published) } })
  const first = createGateway()
  await using _end = end
  await using _middle = middle
  await using _first = first
  first.service.apply({
    servers: [
      configure(
        'middle',
        wayBack(() => middle.published),
      ),
    ],
  })
  const client = await first.client()
  expect(await client.list('tools')).toEqual([
    { name: 'middle__end__one__fine', inputSchema: { type: 'object' } },
  ])
  expect(await client.text('middle__end__one__fine')).toBe('fine')
})
