import { describe, expect, test } from 'vitest'
import { createToolsService, type ExternalServer } from '../src/index.ts'
import {
  createGate,
  createGateway,
  errorOf,
  type Gate,
  type GatewayOptions,
} from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

/** A server that answers each call when it is told to. */
function setUp(config: Partial<ExternalServer>, more: GatewayOptions = {}) {
  const running: string[] = []
  const gates = new Map<string, Gate<void>>()
  const server = serveUpstream(
    answerTools({
      async wait({ arguments: args }) {
        const { who } = args as { who: string }
        const gate = createGate<void>()
        gates.set(who, gate)
        running.push(who)
        await gate.wait()
        return text(who)
      },
    }),
  )
  const gateway = createGateway({ upstreams: { one: [server, config] }, ...more })
  return {
    gateway,
    server,
    running,
    finish: async (who: string) => {
      gates.get(who)?.open()
      await settle()
    },
  }
}

describe('a server with a limit', () => {
  test('gets no more calls at once, over all its connections; the others wait in order', async () => {
    const { gateway, running, finish } = setUp({ maxInFlight: 2 })
    await using _ = gateway
    const [first, second] = [await gateway.client(), await gateway.client()]
    await first.names()
    await second.names()
    const calls = ['a', 'b', 'c', 'd'].map((who) => first.text('one__wait', { who }))
    await settle()
    calls.push(second.text('one__wait', { who: 'e' }))
    await settle()
    expect(running).toEqual(['a', 'b'])
    await finish('b')
    expect(running).toEqual(['a', 'b', 'c'])
    for (const who of ['a', 'c', 'd', 'e']) await finish(who)
    expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('lets sessions take turns, so that one with much to do keeps nobody out', async () => {
    const { gateway, running, finish } = setUp({ maxInFlight: 1 })
    await using _ = gateway
    const [busy, other] = [await gateway.client(), await gateway.client()]
    await busy.names()
    await other.names()
    const calls = ['a1', 'a2', 'a3', 'a4'].map((who) => busy.text('one__wait', { who }))
    await settle()
    calls.push(...['b1', 'b2'].map((who) => other.text('one__wait', { who })))
    await settle()
    for (const who of ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']) await finish(who)
    expect(running).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
    await Promise.all(calls)
  })

  test('does not get a call that was taken back while it waited', async () => {
    const { gateway, running, finish } = setUp({ maxInFlight: 1 })
    await using _ = gateway
    const client = await gateway.client()
    await client.names()
    const first = client.text('one__wait', { who: 'a' })
    const abort = new AbortController()
    const params = { name: 'one__wait', arguments: { who: 'b' } }
    const second = client.session.request('tools/call', params, { signal: abort.signal })
    const third = client.text('one__wait', { who: 'c' })
    const aborted = errorOf(second)
    await settle()
    abort.abort('not needed')
    await settle()
    expect(await aborted).toMatch('-32003')
    await finish('a')
    await finish('c')
    expect([await first, await third]).toEqual(['a', 'c'])
    expect(running).toEqual(['a', 'c'])
    expect(gateway.events.map(({ outcome }) => outcome)).toEqual(['cancelled', 'ok', 'ok'])
  })

  test('does not get one that a signal took back', async () => {
    const { gateway, running, finish } = setUp({ maxInFlight: 1 })
    await using _ = gateway
    const call = (who: string, signal?: AbortSignal) =>
      gateway.service.call({ server: 'one', tool: 'wait' }, { who }, signal && { signal })
    const first = call('a')
    const abort = new AbortController()
    const second = errorOf(call('b', abort.signal))
    await settle()
    abort.abort(new Error('not needed'))
    expect(await second).toMatchInlineSnapshot(
      `"-32003 one/wait was cancelled while it waited: not needed"`,
    )
    await finish('a')
    await first
    expect(running).toEqual(['a'])
  })

  test('refuses by name what has waited for as long as a call may', async () => {
    const { gateway, finish } = setUp({ maxInFlight: 1, timeouts: { request: 2000 } })
    await using _ = gateway
    const call = (who: string, request?: number) => {
      const own = request === undefined ? {} : { timeouts: { request } }
      return gateway.service.call({ server: 'one', tool: 'wait' }, { who }, own)
    }
    const first = call('a', 60_000)
    await settle()
    const impatient = errorOf(call('b', 500))
    const second = errorOf(call('c'))
    await gateway.clock.advance(600)
    expect(await impatient).toMatch('this call has waited 0.5 s')
    await gateway.clock.advance(1300)
    await gateway.clock.advance(200)
    expect(await second).toMatchInlineSnapshot(
      `"-32005 Server "one" is not available: 1 call is in flight, which is its limit (maxInFlight), and this call has waited 2 s for one of them to end. Try again later."`,
    )
    await finish('a')
    await first
  })

  test('refuses by name what comes when too many wait', async () => {
    const { gateway } = setUp({ maxInFlight: 1 })
    await using _ = gateway
    const call = () => errorOf(gateway.service.call({ server: 'one', tool: 'wait' }, { who: 'x' }))
    for (let calls = 0; calls < 1001; calls++) void call()
    expect(await call()).toMatchInlineSnapshot(
      `"-32005 Server "one" is not available: 1 call is in flight, which is its limit (maxInFlight), and 1000 more are waiting. Try again later."`,
    )
  })

  test('has its place free again after errors', async () => {
    const server = serveUpstream(answerTools({ fine: () => text('fine') }))
    server.failure = new Error('no such command')
    await using gateway = createGateway({ upstreams: { one: [server, { maxInFlight: 1 }] } })
    const call = () => errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
    expect(await call()).toMatch('no such command')
    server.failure = undefined
    await gateway.clock.advance(1000)
    expect(await call()).toBe('no error')
    expect(await call()).toBe('no error')
  })
})

test('a limit that lets nothing through is refused', () => {
  const service = createToolsService({ connect: () => Promise.reject(new Error('unused')) })
  const server = serveUpstream(answerTools({}))
  expect(() =>
    service.apply({ servers: [configure('one', server, { maxInFlight: 0 })] }),
  ).toThrowErrorMatchingInlineSnapshot(
    `[TypeError: Server "one": maxInFlight must be 1 or more, received 0]`,
  )
})
