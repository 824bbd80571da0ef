import type { HookChain, HookOutcome, HookRunner, Hooks } from '@mobius-mcp/hooks'
import { defineServer, type JsonObject, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, plain } from './support/gateway.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const upstream = () =>
  serveUpstream(
    answerTools({ echo: (params) => ({ content: [], params }), other: () => text('other') }),
  )

type Run = (value: JsonObject, runner: HookRunner) => Promise<Partial<HookOutcome>>

/** Hooks of one server. */
function hook(server: string, chains: { request?: Run; response?: Run }): Hooks {
  return {
    for(name, method, direction): HookChain {
      const run = name === server && method === 'tools/call' ? chains[direction] : undefined
      return {
        empty: run === undefined,
        run: async (value, runner) => ({ value, trace: [], ...(await run?.(value, runner)) }),
      }
    },
  }
}

describe('a hook before a call', () => {
  test('that changes its value changes what is sent', async () => {
    const hooks = hook('one', {
      request: async (value) => ({ value: { ...value, arguments: { changed: true } } }),
    })
    await using gateway = createGateway({ upstreams: { one: upstream() }, hooks })
    const result = await (await gateway.client()).call('one__echo', { changed: false })
    expect(result.params).toMatchObject({ name: 'echo', arguments: { changed: true } })
  })

  test('is asked before the rules, which see the changed value', async () => {
    const seen: JsonObject[] = []
    const hooks = hook('one', { request: async () => ({ value: { name: 'echo', arguments: {} } }) })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      hooks,
      authorize: ({ params }) => {
        seen.push(params)
        return { decision: 'allow' }
      },
    })
    await (await gateway.client()).call('one__echo', { a: 1 })
    expect(seen).toEqual([{ name: 'echo', arguments: {} }])
  })

  test('that blocks denies, with its reason, and nothing is sent', async () => {
    const server = upstream()
    const hooks = hook('one', { request: async () => ({ decision: 'block', reason: 'too late' }) })
    await using gateway = createGateway({ upstreams: { one: server }, hooks })
    const client = await gateway.client()
    expect(await client.text('one__echo')).toMatchInlineSnapshot(
      `"-32004 one/echo was refused: too late"`,
    )
    expect(server.received('tools/call')).toEqual([])
    expect(gateway.events).toMatchObject([{ outcome: 'denied' }])
  })

  test('cannot change which tool is called', async () => {
    const server = upstream()
    const hooks = hook('one', {
      request: async (value) => ({ value: { ...value, name: 'other' } }),
    })
    await using gateway = createGateway({ upstreams: { one: server }, hooks })
    const client = await gateway.client()
    expect(await client.text('one__echo')).toMatchInlineSnapshot(
      `"-32004 one/echo was refused: a hook tried to change what is called"`,
    )
    expect(server.received('tools/call')).toEqual([])
  })

  test.each([
    { decision: 'ask', hook: 'approve', outcome: 'ok' },
    { decision: 'deny', hook: 'approve', outcome: 'denied' },
    { decision: 'allow', hook: 'ask', outcome: 'denied' },
    { decision: 'allow', hook: 'approve', outcome: 'ok' },
  ] as const)('that says $hook where the rules say $decision: $outcome', async (each) => {
    const hooks = hook('one', { request: async () => ({ decision: each.hook }) })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      hooks,
      authorize: () => ({ decision: each.decision }),
    })
    await (await gateway.client()).text('one__echo')
    expect(gateway.events).toMatchObject([{ outcome: each.outcome }])
  })

  test('that wants an approval gets one where there are no rules at all', async () => {
    const hooks = hook('one', { request: async () => ({ decision: 'ask' }) })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      hooks,
      approve: async () => ({ approved: true }),
    })
    expect(await (await gateway.client()).call('one__echo')).toMatchObject({ content: [] })
  })

  test('that fails fails the call', async () => {
    const hooks = hook('one', { request: () => Promise.reject(new Error('no worker')) })
    await using gateway = createGateway({ upstreams: { one: upstream() }, hooks })
    const client = await gateway.client()
    expect(await client.text('one__echo')).toBe('-32603 Internal error')
    expect(gateway.events).toMatchObject([{ outcome: 'error', error: { message: 'no worker' } }])
  })
})

describe('a hook after a call', () => {
  test('that changes the result changes what the client gets', async () => {
    const hooks = hook('one', { response: async (value) => ({ value: { ...value, seen: true } }) })
    await using gateway = createGateway({ upstreams: { one: upstream() }, hooks })
    expect(await (await gateway.client()).call('one__other')).toEqual({
      ...text('other'),
      seen: true,
    })
  })

  test('that blocks keeps the result back', async () => {
    const hooks = hook('one', { response: async () => ({ decision: 'block', reason: 'secret' }) })
    await using gateway = createGateway({ upstreams: { one: upstream() }, hooks })
    expect(await (await gateway.client()).text('one__other')).toMatchInlineSnapshot(
      `"-32004 one/other was refused: secret"`,
    )
  })
})

describe('what a hook calls', () => {
  const guard = defineServer({
    name: 'guard',
    version: '1',
    visibility: 'hooks',
    tools: { check: tool({ description: 'Checks.', run: () => 'checked' }) },
  })

  test('is a child of the call, and says that a hook made it', async () => {
    const hooks = hook('one', {
      async request(value, runner) {
        await runner({ server: 'guard', tool: 'check' }, value)
        return {}
      },
    })
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      builtIns: [guard],
      hooks,
    })
    await (await gateway.client({ name: 'editor' })).call('one__other')
    const seen = plain(gateway.events).map(({ id, parent, server, depth, origin }) => ({
      id,
      parent,
      server,
      depth,
      origin,
    }))
    expect(seen).toMatchInlineSnapshot(`
      [
        {
          "depth": 1,
          "id": "call-1",
          "origin": {
            "cause": {
              "kind": "client",
              "name": "editor",
            },
            "kind": "hook",
          },
          "parent": "call-2",
          "server": "guard",
        },
        {
          "depth": 0,
          "id": "call-2",
          "origin": {
            "kind": "client",
            "name": "editor",
          },
          "parent": undefined,
          "server": "one",
        },
      ]
    `)
  })

  test('that fires the hook again comes to an end', async () => {
    const hooks = hook('one', {
      async request(value, runner) {
        await runner({ server: 'one', tool: 'other' }, value)
        return {}
      },
    })
    await using gateway = createGateway({ upstreams: { one: upstream() }, hooks })
    const client = await gateway.client()
    expect(await client.text('one__other')).toMatchInlineSnapshot(
      `"-32006 one/other was refused: the chain of calls that led to it is 16 long."`,
    )
    expect(gateway.events).toHaveLength(17)
  })
})

test('where nothing is hooked, no chain is run', async () => {
  const ran: string[] = []
  const hooks: Hooks = {
    for: (server) => ({
      empty: true,
      run: async (value) => {
        ran.push(server)
        return { value, trace: [] }
      },
    }),
  }
  await using gateway = createGateway({ upstreams: { one: upstream() }, hooks })
  await (await gateway.client()).call('one__other')
  expect(ran).toEqual([])
})
