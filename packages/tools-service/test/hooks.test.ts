import { type HookChain, type Hooks, noHooks } from '@mobius-mcp/hooks'
import type { JsonObject } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, errorText, plain } from './support/gateway.ts'
import { createPolicy, type Judge, toHooks } from './support/policy.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const upstream = () =>
  serveUpstream(
    answerTools({ echo: (params) => ({ content: [], params }), other: () => text('other') }),
  )

/** A gateway with one server outside and one policy on its calls. */
function createGuarded(
  judge: Judge,
  {
    key = 'tools/call?server=one&direction=request',
    ...more
  }: Parameters<typeof createGateway>[0] & { key?: string } = {},
) {
  const policy = createPolicy({ check: judge })
  const server = upstream()
  const gateway = createGateway({
    upstreams: { one: server },
    builtIns: [policy.definition],
    hooks: toHooks({ [key]: 'policy/check' }),
    ...more,
  })
  return Object.assign(gateway, { policy, server })
}

const after = 'tools/call?server=one&direction=response'

describe('a hook before a call', () => {
  test('that patches it changes what is sent', async () => {
    await using gateway = createGuarded(() => ({
      patch: { params: { arguments: { changed: true, gone: null } } },
    }))
    const result = await (await gateway.client()).call('one__echo', { kept: 1, gone: 2 })
    expect(result.params).toMatchObject({ name: 'echo', arguments: { kept: 1, changed: true } })
    expect(result.params).not.toHaveProperty('arguments.gone')
  })

  test('that gives another value changes what is sent', async () => {
    await using gateway = createGuarded(({ message }) => ({
      value: { ...message, params: { name: 'echo', arguments: { new: true } } },
    }))
    const result = await (await gateway.client()).call('one__echo', { old: 1 })
    expect(result.params).toMatchObject({ name: 'echo', arguments: { new: true } })
    expect(result.params).not.toHaveProperty('arguments.old')
  })

  test('is asked before the rules, which see the changed value', async () => {
    const seen: JsonObject[] = []
    await using gateway = createGuarded(() => ({ patch: { params: { arguments: { b: 2 } } } }), {
      authorize: ({ server, params }) => {
        if (server === 'one') seen.push(params)
        return { decision: 'allow' }
      },
    })
    await (await gateway.client()).call('one__echo', { a: 1 })
    expect(seen).toEqual([{ name: 'echo', arguments: { a: 1, b: 2 } }])
  })

  test('that blocks denies, with its reason, and nothing is sent', async () => {
    await using gateway = createGuarded(() => ({ decision: 'block', reason: 'too late' }))
    const client = await gateway.client()
    const error = await client.call('one__echo').catch((caught: unknown) => caught)
    expect(errorText(error)).toMatchInlineSnapshot(
      `"-32004 one/echo was refused: hook tools/call?server=one&direction=request policy/check (policy/check): too late"`,
    )
    expect(error).toMatchObject({
      data: {
        hook: 'tools/call?server=one&direction=request policy/check',
        target: 'policy/check',
        reason: 'too late',
      },
    })
    expect(gateway.server.received('tools/call')).toEqual([])
    expect(gateway.events.at(-1)).toMatchObject({ server: 'one', outcome: 'denied' })
  })

  test('cannot change which tool is called', async () => {
    await using gateway = createGuarded(() => ({ patch: { params: { name: 'other' } } }))
    const client = await gateway.client()
    expect(await client.text('one__echo')).toMatchInlineSnapshot(
      `"-32004 one/echo was refused: hook tools/call?server=one&direction=request policy/check (policy/check): it tried to change params.name, from "echo" to "other""`,
    )
    expect(gateway.server.received('tools/call')).toEqual([])
  })

  test.each([
    { decision: 'ask', hook: 'approve', outcome: 'ok' },
    { decision: 'deny', hook: 'approve', outcome: 'denied' },
    { decision: 'allow', hook: 'ask', outcome: 'denied' },
    { decision: 'allow', hook: 'approve', outcome: 'ok' },
  ] as const)('that says $hook where the rules say $decision: $outcome', async (each) => {
    await using gateway = createGuarded(() => ({ decision: each.hook }), {
      authorize: ({ server }) => ({ decision: server === 'one' ? each.decision : 'allow' }),
    })
    await (await gateway.client()).text('one__echo')
    expect(gateway.events.at(-1)).toMatchObject({ server: 'one', outcome: each.outcome })
  })

  test('that wants an approval gets one where there are no rules at all, and says why', async () => {
    const reasons: unknown[] = []
    await using gateway = createGuarded(() => ({ decision: 'ask', reason: 'it costs money' }), {
      approve: async ({ decision }) => {
        reasons.push(decision.reason)
        return { approved: true }
      },
    })
    expect(await (await gateway.client()).call('one__echo')).toMatchObject({ content: [] })
    expect(reasons).toEqual(['it costs money'])
  })

  test('that wants an approval which nobody gives denies', async () => {
    await using gateway = createGuarded(() => ({ decision: 'ask', reason: 'it costs money' }))
    const client = await gateway.client()
    expect(await client.text('one__echo')).toMatchInlineSnapshot(
      `"-32004 one/echo was refused: it needs an approval (it costs money), and nobody is there to give one"`,
    )
  })
})

describe('a hook after a call', () => {
  test('that changes the result changes what the client gets', async () => {
    await using gateway = createGuarded(() => ({ patch: { result: { seen: true } } }), {
      key: after,
    })
    expect(await (await gateway.client()).call('one__other')).toMatchObject({
      ...text('other'),
      seen: true,
    })
  })

  test('that blocks keeps the result back', async () => {
    await using gateway = createGuarded(() => ({ decision: 'block', reason: 'secret' }), {
      key: after,
    })
    expect(await (await gateway.client()).text('one__other')).toMatchInlineSnapshot(
      `"-32004 one/other was refused: hook tools/call?server=one&direction=response policy/check (policy/check): secret"`,
    )
  })

  test('sees the request as it was sent, beside the result', async () => {
    await using gateway = createGuarded(() => undefined, { key: after })
    await (await gateway.client()).call('one__other', { a: 1 })
    expect(gateway.policy.seen).toMatchObject([
      {
        point: 'tools/call',
        direction: 'response',
        server: 'one',
        name: 'other',
        message: {
          method: 'tools/call',
          params: { name: 'other', arguments: { a: 1 } },
          result: text('other'),
        },
      },
    ])
  })
})

describe('what a hook calls', () => {
  test('is a child of the call, and says that a hook made it', async () => {
    await using gateway = createGuarded(() => undefined)
    await (await gateway.client({ name: 'editor' })).call('one__other')
    const seen = plain(gateway.events).map(({ id, parent, server, depth, origin, principal }) => ({
      id,
      parent,
      server,
      depth,
      origin,
      principal,
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
            "name": "tools/call?server=one&direction=request policy/check",
          },
          "parent": "call-2",
          "principal": "local",
          "server": "policy",
        },
        {
          "depth": 0,
          "id": "call-2",
          "origin": {
            "kind": "client",
            "name": "editor",
          },
          "parent": undefined,
          "principal": "local",
          "server": "one",
        },
      ]
    `)
  })
})

test('where nothing is hooked, no chain is run', async () => {
  const ran: string[] = []
  const empty: HookChain = {
    empty: true,
    run: async ({ message }) => {
      ran.push(message.method)
      return { message, trace: [] }
    },
  }
  const hooks: Hooks = { for: () => empty }
  await using gateway = createGateway({ upstreams: { one: upstream() }, hooks })
  await (await gateway.client()).call('one__other')
  expect(ran).toEqual([])
  expect(noHooks.for('one', 'tools/call', 'request').empty).toBe(true)
})
