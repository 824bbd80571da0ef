import { defineServer, type JsonObject, tool } from '@mobius-mcp/protocol'
import { expect, test, vi } from 'vitest'
import { createGate, createGateway, errorOf } from './support/gateway.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

const upstream = () =>
  serveUpstream(
    answerTools(
      { fine: () => text('fine'), failing: () => ({ ...text(''), isError: true }) },
      { 'prompts/list': () => ({ prompts: [] }) },
    ),
  )

const inside = defineServer({
  name: 'inside',
  version: '1',
  tools: { fine: tool({ description: 'Fine.', run: () => 'fine' }) },
})

test('a server’s state says what is known of it', async () => {
  const server = upstream()
  await using gateway = createGateway({
    builtIns: [inside],
    upstreams: { one: [server, { sharing: 'process' }] },
  })
  expect(gateway.service.states()[1]).toEqual({
    name: 'one',
    kind: 'external',
    state: 'idle',
    reason: undefined,
    since: 1,
    sharing: 'process',
    connections: 0,
    inFlight: 0,
    restarts: 0,
    calls: 0,
    errors: 0,
    offers: {},
  })
  await gateway.clock.advance(99)
  const client = await gateway.client()
  await client.names()
  await client.text('one__fine')
  await client.text('one__failing')
  await client.text('one__nothing')
  await errorOf(gateway.service.request('one', 'x/custom', {}))
  await client.text('inside__fine')
  expect(gateway.service.states()).toMatchObject([
    { name: 'inside', kind: 'built-in', state: 'ready', calls: 1, errors: 0, offers: { tools: 1 } },
    {
      name: 'one',
      state: 'ready',
      since: 100,
      connections: 1,
      calls: 3,
      errors: 1,
      offers: { tools: 2 },
    },
  ])
})

test('a server’s calls in flight are counted, also those that end on a configuration that was replaced', async () => {
  const gate = createGate<JsonObject>()
  const old = serveUpstream(answerTools({ wait: () => gate.wait() }))
  await using gateway = createGateway({ upstreams: { one: old, two: upstream() } })
  const { service } = gateway
  const inFlight = () => service.states().map(({ name, inFlight }) => [name, inFlight])
  const clients = await Promise.all([gateway.client(), gateway.client()])
  const calls = [...clients, clients[0]].map((client) => client?.text('one__wait'))
  await vi.waitUntil(() => gate.arrived === 3)
  expect(inFlight()).toEqual([
    ['one', 3],
    ['two', 0],
  ])
  service.apply({ servers: [configure('one', upstream(), { identity: 'another' })] })
  expect(inFlight()).toEqual([['one', 3]])
  gate.open(text('done'))
  expect(await Promise.all(calls)).toEqual(['done', 'done', 'done'])
  expect(inFlight()).toEqual([['one', 0]])
})

test('every change of a state is told, until nobody wants to know', async () => {
  const server = upstream()
  await using gateway = createGateway({ upstreams: { one: server } })
  const told: string[] = []
  const stop = gateway.service.watchStates((name) => {
    const [state] = gateway.service.states()
    told.push(`${name}: ${state?.state}${state?.reason ? ` (${state.reason})` : ''}`)
  })
  const client = await gateway.client()
  await client.text('one__fine')
  await server.crash('killed')
  server.failure = new Error('no such command')
  await gateway.during(1000, client.text('one__fine'))
  gateway.service.apply({ servers: [] })
  stop()
  gateway.service.apply({ servers: [] })
  expect(told).toMatchInlineSnapshot(`
    [
      "one: starting",
      "one: ready",
      "one: waiting (killed)",
      "one: starting (killed)",
      "one: waiting (no such command)",
      ": undefined",
    ]
  `)
})

test('a probe tries every server, and says of each what became of it', async () => {
  const down = upstream()
  down.failure = new Error('no such command')
  const off = upstream()
  await using gateway = createGateway({
    builtIns: [inside],
    upstreams: { one: upstream(), down, off: [off, { disabled: true }] },
  })
  await gateway.service.probe()
  expect(gateway.service.states()).toMatchObject([
    { name: 'inside', state: 'ready', offers: { tools: 1 } },
    { name: 'one', state: 'ready', offers: { tools: 2, prompts: 0 } },
    { name: 'down', state: 'waiting', reason: 'no such command' },
    { name: 'off', state: 'disabled', reason: undefined },
  ])
  expect(off.attempts).toBe(0)
})
