import type { JsonObject } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGate, createGateway, errorOf, type TestClient } from './support/gateway.ts'
import { createPolicy, type HookInput, toHooks } from './support/policy.ts'
import { settle, settleUntil } from './support/settle.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

/** Answers with its own name and what it was given, when the gate opens. */
function serve(name: string, gate: { wait(): Promise<unknown> }) {
  return serveUpstream(
    answerTools({
      async wait({ arguments: args }) {
        await gate.wait()
        return text(`${name} ${String((args as JsonObject).word)}`)
      },
    }),
  )
}

const stamp = ({ message }: HookInput) => {
  const { word } = (message.params?.arguments ?? {}) as JsonObject
  return { patch: { params: { arguments: { word: `${String(word)} (stamped)` } } } }
}

describe('200 calls in flight while the configuration changes', () => {
  const names = ['changed', 'removed', 'broken', 'steady'] as const

  async function setUp() {
    const gate = createGate()
    const before = Object.fromEntries(names.map((name) => [name, serve(name, gate)]))
    const policy = createPolicy({ stamp })
    const gateway = createGateway({
      upstreams: before,
      builtIns: [policy.definition],
    })
    const clients: TestClient[] = []
    for (let count = 0; count < 5; count++) {
      const client = await gateway.client({ name: `client ${count}` })
      await client.names()
      clients.push(client)
    }
    const call = (index: number) => {
      const client = clients[index % clients.length]
      const name = names[Math.floor(index / clients.length) % names.length]
      return client?.text(`${name}__wait`, { word: String(index) })
    }
    return { gate, before, policy, gateway, clients, call }
  }

  const expected = (index: number, stamped = '') =>
    `${names[Math.floor(index / 5) % names.length]} ${index}${stamped}`

  test('none is lost, each ends on what it began with, and the unchanged server is not touched', async () => {
    const { gate, before, gateway, clients, call } = await setUp()
    await using _ = gateway
    const calls = Array.from({ length: 200 }, (_, index) => call(index))
    await settleUntil(() => gate.arrived === 200)
    const after = serve('changed', { wait: async () => {} })
    const cannot = serve('broken', { wait: async () => {} })
    cannot.failure = new Error('no such command')
    const attempts = before.steady?.attempts
    gateway.service.apply({
      servers: [
        configure('changed', after, { identity: 'changed, second edition' }),
        configure('broken', cannot, { identity: 'broken, second edition' }),
        configure('steady', before.steady ?? cannot),
      ],
      hooks: toHooks({ 'tools/call?direction=request&name=wait': 'policy/stamp' }),
    })

    // What comes now goes by the new configuration, while the others are still in flight.
    const client = clients[0]
    expect(await client?.text('changed__wait', { word: 'new' })).toBe('changed new (stamped)')
    expect(await errorOf(gateway.service.call({ server: 'removed', tool: 'wait' }, {}))).toBe(
      '-32602 Unknown server: removed',
    )
    const refused = (name: string) =>
      gateway.during(1000, Promise.resolve(client?.text(`${name}__wait`, { word: 'new' })))
    expect(await refused('broken')).toMatch(
      /^-32602 Unknown tool: broken__wait. Not asked, .*: broken \(no such command\)$/,
    )
    expect(await refused('removed')).toMatch('-32602 Unknown tool: removed__wait')
    expect(before.changed?.open).toBeGreaterThan(0)

    gate.open()
    const answers = await Promise.all(calls)
    expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => expected(index)))
    await settle()
    // What was replaced or removed has drained and is closed.
    expect([before.changed?.open, before.removed?.open, before.broken?.open]).toEqual([0, 0, 0])
    expect(before.steady?.attempts).toBe(attempts)
    expect(before.steady?.open).toBeGreaterThan(0)
    expect(gateway.events.filter(({ outcome }) => outcome === 'error')).toMatchObject([
      { server: 'removed' },
    ])
  })

  test('the lists that read differently are told, once, and no others', async () => {
    const { gate, before, gateway, clients } = await setUp()
    await using _ = gateway
    gate.open()
    const only = (name: string) => gateway.client({ to: gateway.service.publish({ refs: [name] }) })
    const [changed, removed, steady] = [
      await only('changed'),
      await only('removed'),
      await only('steady'),
    ]
    for (const each of [changed, removed, steady]) await each.names()
    const after = serveUpstream(answerTools({ other: () => text('other') }))
    gateway.service.apply({
      servers: [
        configure('changed', after, { identity: 'second edition' }),
        ...(['broken', 'steady'] as const).map((name) => configure(name, before[name] ?? after)),
      ],
    })
    await gateway.clock.advance(1000)
    const told = (client: TestClient) => client.received('notifications/tools/list_changed').length
    expect([changed, removed, steady, ...clients].map(told)).toEqual([1, 1, 0, 1, 1, 1, 1, 1])
    expect(await changed.names()).toEqual(['changed__other'])
    expect(await removed.names()).toEqual([])
  })

  test('a broken edit changes nothing, and says what is wrong', async () => {
    const { gate, before, gateway, clients, call } = await setUp()
    await using _ = gateway
    const calls = Array.from({ length: 200 }, (_, index) => call(index))
    await settleUntil(() => gate.arrived === 200)
    const states = gateway.service.states()
    const [one] = Object.values(before)
    if (!one) throw new Error('There is no server')
    for (const servers of [
      [configure('steady', one), configure('steady', one)],
      [configure('steady', one, { identity: 'other', maxInFlight: 0 })],
      [configure('policy', one)],
    ]) {
      expect(() => gateway.service.apply({ servers })).toThrow(TypeError)
    }
    expect(gateway.service.states()).toEqual(states)
    gate.open()
    expect(await Promise.all(calls)).toEqual(
      Array.from({ length: 200 }, (_, index) => expected(index)),
    )
    await gateway.clock.advance(1000)
    for (const client of clients) {
      expect(client.received('notifications/tools/list_changed')).toEqual([])
    }
  })
})

describe('a call that hooks still look at when the configuration changes', () => {
  const slow = () => {
    const gate = createGate<unknown>()
    return { gate, policy: createPolicy({ check: () => gate.wait() }) }
  }

  test('ends on the server that it began with, under the hooks and rules that it began with', async () => {
    const { gate, policy } = slow()
    const open = { wait: async () => {} }
    const before = serve('old', open)
    const after = serve('new', open)
    await using gateway = createGateway({ builtIns: [policy.definition] })
    const seen: string[] = []
    const authorize = (label: string) => () => {
      seen.push(label)
      return { decision: 'allow' as const }
    }
    gateway.service.apply({
      servers: [configure('one', before)],
      hooks: toHooks({ 'tools/call?server=one&direction=request': 'policy/check' }),
      authorize: authorize('old rules'),
    })
    const client = await gateway.client()
    await client.names()
    const call = client.text('one__wait', { word: 'a' })
    await settleUntil(() => gate.arrived === 1)
    gateway.service.apply({
      servers: [configure('one', after, { identity: 'other' })],
      authorize: authorize('new rules'),
    })
    expect(await client.text('one__wait', { word: 'b' })).toBe('new b')
    gate.open({ patch: { params: { arguments: { word: 'changed' } } } })
    expect(await call).toBe('old changed')
    expect(seen).toEqual(['old rules', 'new rules', 'old rules'])
    await gateway.clock.advance(0)
    expect([before.open, after.open]).toEqual([0, 1])
    // The one that is there now is still used.
    expect(await client.text('one__wait', { word: 'c' })).toBe('new c')
    expect(after.attempts).toBe(1)
  })

  test('ends on a server that was removed meanwhile', async () => {
    const { gate, policy } = slow()
    const server = serve('old', { wait: async () => {} })
    await using gateway = createGateway({
      upstreams: { one: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'tools/call?server=one&direction=request': 'policy/check' }),
    })
    const client = await gateway.client()
    await client.names()
    const call = client.text('one__wait', { word: 'a' })
    await settleUntil(() => gate.arrived === 1)
    gateway.service.apply({ servers: [] })
    gate.open(undefined)
    expect(await call).toBe('old a')
    await gateway.clock.advance(0)
    expect(server.open).toBe(0)
  })

  test('passes the response hooks that it began with', async () => {
    const gate = createGate()
    const policy = createPolicy({ check: () => ({ patch: { result: { checked: true } } }) })
    const server = serve('one', gate)
    await using gateway = createGateway({
      upstreams: { one: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'tools/call?server=one&direction=response': 'policy/check' }),
    })
    const client = await gateway.client()
    await client.names()
    const call = client.call('one__wait', { word: 'a' })
    await settleUntil(() => gate.arrived === 1)
    gateway.service.apply({ servers: [configure('one', server)], hooks: toHooks({}) })
    gate.open()
    expect(await call).toMatchObject({ checked: true })
    expect(await client.call('one__wait', { word: 'b' })).not.toHaveProperty('checked')
  })

  test('waits for its turn at the limit of the server that it began with', async () => {
    const gate = createGate()
    const before = serve('old', gate)
    const after = serve('new', { wait: async () => {} })
    await using gateway = createGateway({ upstreams: { one: [before, { maxInFlight: 1 }] } })
    const client = await gateway.client()
    await client.names()
    const calls = ['a', 'b', 'c'].map((word) => client.text('one__wait', { word }))
    await settleUntil(() => gate.arrived === 1)
    gateway.service.apply({ servers: [configure('one', after, { identity: 'other' })] })
    expect(await client.text('one__wait', { word: 'd' })).toBe('new d')
    gate.open()
    expect(await Promise.all(calls)).toEqual(['old a', 'old b', 'old c'])
    await gateway.clock.advance(0)
    await settle()
    expect([before.open, after.open]).toEqual([0, 1])
  })
})
