import type { JsonObject } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway } from './support/gateway.ts'
import { createPolicy, type HookInput, toHooks } from './support/policy.ts'
import { settle, settleUntil } from './support/settle.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

const upstream = () =>
  serveUpstream(answerTools({ fine: () => text('fine'), danger: () => text('danger') }))

/** Leaves out what is dangerous. */
const safe = ({ message }: HookInput) => {
  const tools = (message.result?.tools ?? []) as JsonObject[]
  return { patch: { result: { tools: tools.filter(({ name }) => name !== 'danger') } } }
}

const key = 'tools/list?server=one&direction=response'

describe('a hook on a list', () => {
  test('sees the list that each session is about to get, and can change it', async () => {
    const policy = createPolicy({ check: safe })
    await using gateway = createGateway({
      upstreams: { one: upstream(), two: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ [key]: 'policy/check' }),
    })
    const all = ['one__fine', 'two__danger', 'two__fine']
    const [first, second] = [
      await gateway.client({ name: 'first' }),
      await gateway.client({ name: 'second' }),
    ]
    expect((await first.names()).sort()).toEqual(all)
    expect((await second.names()).sort()).toEqual(all)
    const clients = policy.seen.map(({ call }) => (call.origin as JsonObject).name)
    expect(clients).toEqual(['first', 'second'])
    // Hidden means not callable.
    expect(await first.text('one__danger')).toMatch('-32602 Unknown tool')
    const { entries } = await gateway.service.list('tools', ['one'])
    expect(entries.map(({ name }) => name)).toEqual(['fine'])
  })

  test('that blocks keeps a server out by name and reason; it is not asked again and again', async () => {
    const policy = createPolicy({ check: () => ({ decision: 'block', reason: 'untrusted' }) })
    await using gateway = createGateway({
      upstreams: { one: upstream(), two: upstream() },
      builtIns: [policy.definition],
      hooks: toHooks({ [key]: 'policy/check' }),
    })
    const client = await gateway.client()
    const { _meta } = await client.session.request('tools/list', {})
    expect(_meta).toMatchInlineSnapshot(`
      {
        "mobius-mcp.dev/missing": [
          {
            "reason": "one tools/list was refused: hook tools/list?server=one&direction=response policy/check (policy/check): untrusted",
            "server": "one",
          },
        ],
      }
    `)
    const asked = policy.seen.length
    await gateway.clock.advance(600_000)
    expect(policy.seen).toHaveLength(asked)
    expect(await client.names()).toEqual(['two__fine', 'two__danger'])
  })

  test('that comes with a new configuration is told to those whose list it changes, and only them', async () => {
    const policy = createPolicy({ check: safe, watch: () => undefined })
    const [one, two] = [upstream(), upstream()]
    await using gateway = createGateway({ upstreams: { one, two }, builtIns: [policy.definition] })
    const servers = [configure('one', one), configure('two', two)]
    const all = await gateway.client()
    const narrow = await gateway.client({ to: gateway.service.publish({ refs: ['two'] }) })
    const single = await gateway.client({ to: gateway.service.publishServer('one') })
    const other = await gateway.client({ to: gateway.service.publishServer('two') })
    const clients = [all, narrow, single, other]
    for (const client of clients) await client.names()
    const told = async (isDone = () => true) => {
      await gateway.clock.advance(1000)
      await settle()
      await settleUntil(isDone)
      return clients.map((each) => each.received('notifications/tools/list_changed').length)
    }
    gateway.service.apply({ servers, hooks: toHooks({ 'tools/call': 'policy/watch' }) })
    expect(await told()).toEqual([0, 0, 0, 0])
    gateway.service.apply({ servers, hooks: toHooks({ [key]: 'policy/check' }) })
    const tellsAll = () => all.received('notifications/tools/list_changed').length > 0
    expect(await told(tellsAll)).toEqual([1, 0, 1, 0])
    expect(await all.names()).toEqual(['one__fine', 'two__fine', 'two__danger'])
    expect(await single.names()).toEqual(['fine'])
  })
})
