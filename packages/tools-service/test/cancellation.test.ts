import { defineServer, type JsonObject, type Message, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGate, createGateway, errorOf, type TestClient } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text, type Upstream } from './support/upstream.ts'

function waiting() {
  const gate = createGate()
  const reasons: unknown[] = []
  const server = serveUpstream(
    answerTools({
      wait: async (_, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        await gate.wait()
        return text('too late')
      },
      quick: () => text('quick'),
    }),
  )
  return { server, gate, reasons }
}

const caller = defineServer({
  name: 'outer',
  version: '1',
  tools: {
    go: tool({
      description: 'Calls two at once.',
      async run(_, { caller: inside }) {
        await Promise.all([1, 2].map(() => inside.call({ server: 'one', tool: 'wait' }, {})))
        return 'done'
      },
    }),
  },
})

function cancellable(client: TestClient, name: string) {
  const abort = new AbortController()
  const result = errorOf(
    client.session.request('tools/call', { name, arguments: {} }, { signal: abort.signal }),
  )
  return { result, cancel: () => abort.abort('enough') }
}

/** The ids of the calls that reached it. */
function calls(server: Upstream): unknown[] {
  return server.sent.flatMap((message: Message) =>
    'method' in message && 'id' in message && message.method === 'tools/call' ? [message.id] : [],
  )
}

const cancelled = (server: Upstream): JsonObject[] => server.received('notifications/cancelled')

describe('a client that takes its call back', () => {
  test('takes it back from the server, by the id that the server knows, at once', async () => {
    const { server, reasons } = waiting()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const { result, cancel } = cancellable(client, 'one__wait')
    await settle()
    cancel()
    expect(cancelled(server)).toEqual([{ requestId: calls(server)[0], reason: 'enough' }])
    await result
    expect(reasons).toEqual([expect.objectContaining({ message: 'enough' })])
  })

  test('takes back everything that was begun on its behalf', async () => {
    const { server } = waiting()
    await using gateway = createGateway({ builtIns: [caller], upstreams: { one: server } })
    const client = await gateway.client()
    const { result, cancel } = cancellable(client, 'outer__go')
    await settle()
    cancel()
    await result
    expect(cancelled(server).map(({ requestId }) => requestId)).toEqual(calls(server))
    expect(calls(server)).toHaveLength(2)
    await settle()
    expect(gateway.events.map(({ server: name, outcome }) => `${name} ${outcome}`)).toEqual([
      'outer cancelled',
      'one cancelled',
      'one cancelled',
    ])
  })

  test('takes back nobody else’s', async () => {
    const { server, gate } = waiting()
    await using gateway = createGateway({ upstreams: { one: [server, { sharing: 'process' }] } })
    const client = await gateway.client()
    const other = await gateway.client()
    await client.names()
    const first = cancellable(client, 'one__wait')
    const second = other.text('one__wait')
    const third = client.text('one__wait')
    await settle()
    first.cancel()
    gate.open()
    await first.result
    expect(await Promise.all([second, third])).toEqual(['too late', 'too late'])
    expect(cancelled(server)).toHaveLength(1)
  })

  test('gets no answer any more', async () => {
    const { server, gate } = waiting()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names()
    client.raw({ id: 'x', method: 'tools/call', params: { name: 'one__wait' } })
    await settle()
    client.raw({ method: 'notifications/cancelled', params: { requestId: 'x' } })
    gate.open()
    await settle()
    expect(client.messages.filter((message) => 'id' in message && message.id === 'x')).toEqual([])
    expect(await client.text('one__quick')).toBe('quick')
  })

  test('before it is sent, sends nothing', async () => {
    const { server } = waiting()
    server.stuck = true
    await using gateway = createGateway({ upstreams: { one: server } })
    await gateway.client()
    const abort = new AbortController()
    const target = { server: 'one', tool: 'wait' }
    const result = errorOf(gateway.service.call(target, {}, { signal: abort.signal }))
    await settle()
    abort.abort('enough')
    server.stuck = false
    await gateway.clock.advance(61_000)
    await result
    expect(calls(server)).toEqual([])
  })

  test('a moment too late changes nothing', async () => {
    const { server } = waiting()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const { result, cancel } = cancellable(client, 'one__quick')
    expect(await result).toBe('no error')
    cancel()
    await settle()
    expect(cancelled(server)).toEqual([])
  })

  test('while it waits for an approval, has nothing sent when that comes', async () => {
    const { server } = waiting()
    const gate = createGate()
    await using gateway = createGateway({
      upstreams: { one: server },
      authorize: () => ({ decision: 'ask' }),
      approve: async () => {
        await gate.wait()
        return { approved: true }
      },
    })
    const client = await gateway.client()
    await client.names()
    const { result, cancel } = cancellable(client, 'one__wait')
    await settle()
    cancel()
    gate.open()
    await result
    await settle()
    expect(calls(server)).toEqual([])
    expect(gateway.events).toMatchObject([{ outcome: 'cancelled' }])
  })
})

test('a caller inside takes a single call back by its own signal', async () => {
  const { server } = waiting()
  await using gateway = createGateway({ upstreams: { one: server } })
  await gateway.service.list('tools', ['one'])
  const abort = new AbortController()
  const target = { server: 'one', tool: 'wait' }
  const result = errorOf(gateway.service.call(target, {}, { signal: abort.signal }))
  const other = gateway.service.call({ server: 'one', tool: 'quick' }, {})
  await settle()
  abort.abort(new Error('enough'))
  expect(await result).toBe('-32003 one/wait was cancelled: enough')
  expect(cancelled(server)).toHaveLength(1)
  expect(await other).toEqual(text('quick'))
})

test('a client that leaves takes all its calls back', async () => {
  const { server, reasons } = waiting()
  await using gateway = createGateway({
    builtIns: [caller],
    upstreams: { one: [server, { sharing: 'process' }] },
  })
  const client = await gateway.client()
  await client.names()
  const results = [errorOf(client.call('one__wait')), errorOf(client.call('outer__go'))]
  await settle()
  await client.session.close()
  await Promise.all(results)
  await settle()
  expect(reasons).toHaveLength(3)
  expect(cancelled(server)).toHaveLength(3)
  expect(server.open).toBe(1)
  expect(gateway.events.map(({ outcome }) => outcome)).toEqual(Array(4).fill('cancelled'))
})
