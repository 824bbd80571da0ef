import { defineServer, type Origin, type Principal, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, errorOf } from './support/gateway.ts'
import { createPolicy, toHooks } from './support/policy.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const operator: Principal = { id: 'operator', issuer: 'here', scopes: ['operator'] }
const guest: Principal = { id: 'guest', issuer: 'there', scopes: [] }
const upstream = () => serveUpstream(answerTools({ fine: () => text('fine') }))

/** From the newest to the client. */
function chainOf(origin: Origin): string[] {
  const chain: string[] = []
  for (let each: Origin | undefined = origin; each; each = each.cause) {
    chain.push(each.name === undefined ? each.kind : `${each.kind} ${each.name}`)
  }
  return chain
}

describe("a hook's call", () => {
  test('is made for whoever configured it, not for whoever made the call that it looks at', async () => {
    const policy = createPolicy({ check: () => undefined })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ 'tools/call?server=one': 'policy/check' }),
      hookPrincipal: operator,
      authorize: ({ server, principal }) => ({
        decision: server !== 'policy' || principal.id === 'operator' ? 'allow' : 'deny',
      }),
    })
    const client = await gateway.client({ principal: guest, name: 'editor' })
    expect(await client.text('one__fine')).toBe('fine')
    expect(policy.contexts.map(({ principal }) => principal.id)).toEqual(['operator', 'operator'])
    // Who makes it is told all the same.
    expect(policy.seen[0]?.call).toMatchObject({ principal: { id: 'guest' }, depth: 0 })
    expect(gateway.events[0]?.origin).toMatchObject({ kind: 'hook', cause: { name: 'editor' } })
  })

  test('is bound by the rules', async () => {
    const policy = createPolicy({ check: () => undefined })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ 'tools/call?server=one': 'policy/check' }),
      authorize: ({ origin }) => ({ decision: origin.kind === 'hook' ? 'deny' : 'allow' }),
    })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toMatchInlineSnapshot(
      `"-32004 one/fine was refused: hook tools/call?server=one policy/check (policy/check) failed: policy/check was refused: no rule allows it"`,
    )
    expect(policy.seen).toEqual([])
  })

  test('asks nobody: its server is offered no elicitation, sampling or roots', async () => {
    const answers: unknown[] = []
    const policy = createPolicy({
      check: (_, context) =>
        context.ask('elicitation/create', { message: 'x' }).catch((error: unknown) => {
          answers.push(String(error))
        }),
    })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ 'tools/call?server=one&direction=request': 'policy/check' }),
    })
    const client = await gateway.client({ answers: { 'elicitation/create': () => ({}) } })
    expect(await client.text('one__fine')).toBe('fine')
    expect(answers).toMatchInlineSnapshot(`
      [
        "ProtocolError: Method not found: elicitation/create. This work runs without a person or client that could answer.",
      ]
    `)
    expect(client.received('elicitation/create')).toEqual([])
  })

  test('is taken back with the call that it looks at', async () => {
    const reasons: unknown[] = []
    const policy = createPolicy({
      check: (_, { cancellation }) =>
        new Promise(() => cancellation.listen({ onCancel: (reason) => reasons.push(reason) })),
    })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ 'tools/call?server=one&direction=request': 'policy/check' }),
    })
    const client = await gateway.client()
    await client.names()
    const abort = new AbortController()
    const params = { name: 'one__fine', arguments: {} }
    client.session.request('tools/call', params, { signal: abort.signal }).catch(() => {})
    await settle()
    abort.abort()
    await settle()
    expect(reasons).toHaveLength(1)
    const ended = () => gateway.events.filter(({ server }) => server === 'one')
    expect(ended()).toMatchObject([{ outcome: 'cancelled' }])
    const again = new AbortController()
    const target = { server: 'one', tool: 'fine' }
    const call = errorOf(gateway.service.call(target, {}, { signal: again.signal }))
    await settle()
    again.abort(new Error('not needed'))
    expect(await call).toMatchInlineSnapshot(
      `"-32003 one/fine was cancelled while it waited: not needed"`,
    )
    expect(ended()).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'cancelled' }])
  })
})

describe('a hook on everything', () => {
  test('does not fire on what it causes itself: its own call, that server’s handshake, notes and lists', async () => {
    const policy = createPolicy({
      check(_, context) {
        context.notify('notifications/message', { level: 'error', data: 'seen' })
        context.progress({ progress: 1 })
      },
    })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ '*': 'policy/check' }),
    })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('fine')
    const about = new Set(policy.seen.map(({ server }) => server))
    expect(about).toEqual(new Set(['one']))
  })

  test('does not fire on what the server of its target calls in turn', async () => {
    const definition = defineServer({
      name: 'policy',
      version: '1',
      visibility: 'hooks',
      tools: {
        check: tool({
          description: 'Checks.',
          async run(_, { caller }) {
            await caller.call({ server: 'two', tool: 'fine' }, {})
          },
        }),
      },
    })
    await using gateway = createGateway({
      upstreams: { one: upstream(), two: upstream() },
      builtIns: [definition],
      hooks: toHooks({ 'tools/call?direction=request': 'policy/check' }),
    })
    const client = await gateway.client({ name: 'editor' })
    expect(await client.text('one__fine')).toBe('fine')
    const hook = 'hook tools/call?direction=request policy/check'
    expect(gateway.events.map(({ server, origin }) => [server, chainOf(origin)])).toEqual([
      ['two', [hook, 'client editor']],
      ['policy', [hook, 'client editor']],
      ['one', ['client editor']],
    ])
  })

  test.each(['session', 'process'] as const)(
    'whose target is on a server outside, shared by %s, does not wait for that server’s start',
    async (sharing) => {
      const server = serveUpstream(answerTools({ check: () => ({ content: [] }) }))
      await using gateway = createGateway({
        upstreams: { one: upstream(), guard: [server, { sharing }] },
        hooks: toHooks({ '*': 'guard/check' }),
      })
      const client = await gateway.client()
      expect((await client.names()).sort()).toEqual(['guard__check', 'one__fine'])
      expect(await client.text('one__fine')).toBe('fine')
      expect(await client.call('guard__check')).toEqual({ content: [] })
    },
  )

  test('lets others fire on its call, each once, so that two that see all come to an end', async () => {
    const policy = createPolicy({ first: () => undefined, second: () => undefined })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ 'tools/call?direction=request': ['policy/first', 'policy/second'] }),
    })
    const client = await gateway.client({ name: 'editor' })
    expect(await client.text('one__fine')).toBe('fine')
    const calls = gateway.events
      .filter(({ server }) => server === 'policy')
      .map(
        ({ name, origin }) =>
          `${name}: ${chainOf(origin)
            .map((each) => each.slice(-6))
            .join(' < ')}`,
      )
    expect(calls).toMatchInlineSnapshot(`
      [
        "second: second < /first < editor",
        "first: /first < editor",
        "first: /first < second < editor",
        "second: second < editor",
      ]
    `)
  })
})

test('servers for hooks alone are there for nobody else', async () => {
  const policy = createPolicy({ check: () => undefined })
  await using gateway = createGateway({
    upstreams: { one: upstream() },
    builtIns: [policy.definition],
    hooks: toHooks({ 'tools/call?server=one': 'policy/check' }),
  })
  const client = await gateway.client()
  expect(await client.names()).toEqual(['one__fine'])
  expect(gateway.service.publishServer('policy')).toBeUndefined()
  expect(await client.text('policy__check')).toMatch('-32602')
})
