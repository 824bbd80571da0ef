import { defineServer, type MessageHandler, tool } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import type { ApprovalRequest, CallView, Decision } from '../src/index.ts'
import { createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const upstream = () => serveUpstream(answerTools({ fine: () => text('fine') }))

describe('the rules', () => {
  test('see who calls what, with which parameters, for whom', async () => {
    const seen: CallView[] = []
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      authorize: (call) => {
        seen.push(call)
        return { decision: 'allow' }
      },
    })
    const principal = { id: 'anna', issuer: 'https://login', scopes: ['a'] }
    const client = await gateway.client({ principal, name: 'editor' })
    await client.call('one__fine', { a: 1 })
    expect(seen).toMatchObject([
      {
        server: 'one',
        method: 'tools/call',
        name: 'fine',
        params: { name: 'fine', arguments: { a: 1 } },
        principal,
        origin: { kind: 'client', name: 'editor' },
        depth: 0,
      },
    ])
    expect(seen[0]?.root).toBe(client.host)
  })

  test.each<{ how: string; decide: () => Decision | Promise<Decision> }>([
    { how: 'at once', decide: () => ({ decision: 'deny', rule: 'deny one/*' }) },
    { how: 'later', decide: async () => ({ decision: 'deny', rule: 'deny one/*' }) },
  ])('deny $how, naming the rule, and nothing is started', async ({ decide }) => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server }, authorize: decide })
    await gateway.service.probe()
    const starts = server.attempts
    const client = await gateway.client()
    expect(await client.text('one__fine')).toMatchInlineSnapshot(
      `"-32004 one/fine was refused: rule deny one/*"`,
    )
    expect(server.attempts).toBe(starts)
  })

  test('that name none say that none allows it', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      authorize: () => ({ decision: 'deny' }),
    })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toMatchInlineSnapshot(
      `"-32004 one/fine was refused: no rule allows it"`,
    )
  })

  test('allow later', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      authorize: async () => ({ decision: 'allow', rule: 'allow one/*' }),
    })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('fine')
    expect(gateway.events).toMatchObject([{ rule: 'allow one/*', outcome: 'ok' }])
  })

  test('hold for what a built-in server calls, too', async () => {
    const outer = defineServer({
      name: 'outer',
      version: '1',
      tools: {
        go: tool({
          description: 'Calls another.',
          run: async (_, { caller }) => errorOf(caller.call({ server: 'one', tool: 'fine' }, {})),
        }),
      },
    })
    await using gateway = createGateway({
      builtIns: [outer],
      upstreams: { one: upstream() },
      authorize: ({ depth }) => ({ decision: depth === 0 ? 'allow' : 'deny', rule: 'top only' }),
    })
    const client = await gateway.client()
    expect(await client.text('outer__go')).toMatchInlineSnapshot(
      `"-32004 one/fine was refused: rule top only"`,
    )
  })
})

test.each([
  [{ decision: 'deny' }, 'no rule allows it'],
  [{ decision: 'deny', reason: 'agents may not write' }, 'agents may not write'],
  [{ decision: 'deny', rule: 'deny *' }, 'rule deny *'],
  [{ decision: 'deny', rule: 'deny *', reason: 'by night' }, 'rule deny *: by night'],
  [
    { decision: 'ask', rule: 'ask *', reason: 'it costs' },
    'it needs an approval (it costs), and nobody is there to give one',
  ],
] as const)('a refusal says why: %j', async (decision, reason) => {
  await using gateway = createGateway({ upstreams: { one: upstream() }, authorize: () => decision })
  const call = gateway.service.call({ server: 'one', tool: 'fine' }, {})
  expect(await errorOf(call)).toBe(`-32004 one/fine was refused: ${reason}`)
})

describe('a call that needs an approval', () => {
  const authorize = (): Decision => ({ decision: 'ask', rule: 'ask one/*' })

  test('tells whoever is asked when it is taken back, and then asks nobody any more', async () => {
    const requests: ApprovalRequest[] = []
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      authorize,
      approve: (request) => {
        requests.push(request)
        return new Promise((resolve) =>
          request.cancellation.listen({ onCancel: () => resolve({ approved: true }) }),
        )
      },
    })
    const client = await gateway.client()
    await client.names()
    const abort = new AbortController()
    const params = { name: 'one__fine', arguments: {} }
    client.session.request('tools/call', params, { signal: abort.signal }).catch(() => {})
    await settle()
    expect(requests[0]?.cancellation.cancelled).toBe(false)
    expect(requests[0]?.call).toMatchObject({ server: 'one', name: 'fine' })
    abort.abort()
    await settle()
    const own = new AbortController()
    const target = { server: 'one', tool: 'fine' }
    const call = errorOf(gateway.service.call(target, {}, { signal: own.signal }))
    await settle()
    own.abort(new Error('not needed'))
    expect(await call).toBe('-32003 one/fine was cancelled while it waited: not needed')
    expect(requests.map(({ cancellation }) => cancellation.cancelled)).toEqual([true, true])
    // An approval that comes too late changes nothing.
    expect(gateway.events.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled'])
  })

  test('waits for it, and goes ahead', async () => {
    const asked: Decision[] = []
    await using gateway = createGateway({
      upstreams: { one: upstream() },
      authorize,
      approve: async ({ decision }) => {
        asked.push(decision)
        return { approved: true }
      },
    })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('fine')
    expect(asked).toEqual([{ decision: 'ask', rule: 'ask one/*' }])
  })

  test.each([
    {
      how: 'nobody says who',
      approve: async () => ({ approved: false }),
      error: '-32004 one/fine was refused: whoever may approve said no',
    },
    {
      how: 'somebody says why',
      approve: async () => ({ approved: false, by: 'anna', reason: 'not today' }),
      error: '-32004 one/fine was refused: anna: not today',
    },
    {
      how: 'nobody is there',
      approve: undefined,
      error: '-32004 one/fine was refused: it needs an approval, and nobody is there to give one',
    },
  ])('is refused without it: $how', async ({ approve, error }) => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server }, authorize, approve })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe(error)
    expect(server.received('tools/call')).toEqual([])
    expect(gateway.events).toMatchObject([{ outcome: 'denied', rule: 'ask one/*' }])
  })
})

describe('what is hidden', () => {
  const secret = (visibility: 'agents' | 'hooks') =>
    defineServer({
      name: visibility,
      version: '1',
      visibility,
      tools: { open: tool({ description: 'Opens it.', run: () => 'open' }) },
      resources: { 'secret://1': { name: 'secret', read: () => 'secret' } },
    })

  test('from a view cannot be called', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream(), two: upstream() },
      view: { refs: ['*', '!two'] },
    })
    const client = await gateway.client()
    expect(await client.names()).toEqual(['one__fine'])
    expect(await client.text('two__fine')).toBe('-32602 Unknown tool: two__fine')
  })

  test.each(['agents', 'hooks'] as const)('from clients is never published: %s', async (who) => {
    await using gateway = createGateway({ builtIns: [secret(who)], view: { refs: ['*', who] } })
    const client = await gateway.client()
    expect(await client.names()).toEqual([])
    expect(await client.names('resources')).toEqual([])
    expect(await client.text(`${who}__open`)).toBe(`-32602 Unknown tool: ${who}__open`)
    for (const uri of ['secret://1', `mobius:///${who}/secret%3A%2F%2F1`]) {
      expect(await errorOf(client.session.request('resources/read', { uri }))).toBe(
        `-32002 Resource not found: ${uri}`,
      )
    }
    expect(gateway.service.publishServer(who)).toBeUndefined()
  })

  test('is not there for publishing, either, when there is no such server', async () => {
    await using gateway = createGateway()
    expect(gateway.service.publishServer('nobody')).toBeUndefined()
  })

  test('for hooks alone can be named by hooks alone; for agents, by whoever is inside', async () => {
    await using gateway = createGateway({ builtIns: [secret('agents'), secret('hooks')] })
    const { service } = gateway
    const call = (server: string, caller = service as Pick<typeof service, 'call'>) =>
      errorOf(caller.call({ server, tool: 'open' }, {}))
    expect(await call('agents')).toBe('no error')
    expect(await call('hooks')).toBe('-32602 Unknown server: hooks')
    const hook = service.callerFor({
      principal: { id: 'operator', scopes: [] },
      origin: { kind: 'hook', name: 'guard' },
    })
    expect(await call('hooks', hook)).toBe('no error')
    const names = async (caller: Pick<typeof service, 'list'>) =>
      (await caller.list('tools', ['*'])).entries.map(({ server }) => server)
    expect(await names(service)).toEqual(['agents'])
    expect(await names(hook)).toEqual(['agents', 'hooks'])
  })
})

test('a publication of a server that was removed since says so', async () => {
  await using gateway = createGateway({ upstreams: { one: upstream() } })
  const published = gateway.service.publishServer('one') as MessageHandler
  gateway.service.apply({ servers: [] })
  expect(await errorOf(gateway.client({ to: published }))).toMatchInlineSnapshot(
    `"-32602 Unknown server: one"`,
  )
})
