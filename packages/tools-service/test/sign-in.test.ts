import { inspect } from 'node:util'
import { AuthNeededError } from '@mobius-mcp/protocol'
import {
  ElicitationCompleteNotificationSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { connectForeign } from './support/foreign.ts'
import { createGateway, errorOf, errorText } from './support/gateway.ts'
import { createPolicy, toHooks } from './support/policy.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const url = 'https://login.example/authorize?state=1'
const elicitation = { form: {}, url: {} }

function login({ stepUp = false } = {}) {
  const { promise: done, resolve: finish } = Promise.withResolvers<boolean>()
  const reason = 'nobody has signed in yet'
  const error = new AuthNeededError('one', { id: 'login-1', url, reason, stepUp, done })
  return { error, finish }
}

const upstream = () => serveUpstream(answerTools({ fine: () => text('fine') }))

describe('a server that wants a sign-in before it answers', () => {
  test('is in a state of its own, with the reason, and says so at once to each call', async () => {
    const server = upstream()
    server.failure = login().error
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    for (const attempt of [1, 2, 3]) {
      expect(await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))).toBe(
        '-32008 Server "one" needs a sign-in: nobody has signed in yet',
      )
      expect(server.attempts).toBe(attempt)
    }
    expect(gateway.service.states()).toMatchObject([
      { state: 'auth-needed', reason: 'nobody has signed in yet', restarts: 0 },
    ])
    expect(await client.names()).toEqual([])
  })

  test('gives the URL to whoever asked, and to no list, state or event', async () => {
    const server = upstream()
    server.failure = login().error
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    const listed = await client.session.request('tools/list', {})
    expect(listed).toMatchInlineSnapshot(`
      {
        "_meta": {
          "mobius-mcp.dev/missing": [
            {
              "reason": "Server "one" needs a sign-in: nobody has signed in yet",
              "server": "one",
            },
          ],
        },
        "tools": [],
      }
    `)
    const error = await gateway.service
      .call({ server: 'one', tool: 'fine' }, {})
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ data: { server: 'one', url } })
    const seen = [listed, gateway.service.states(), gateway.events, gateway.logs]
    expect(JSON.stringify(seen)).not.toContain('login.example')
  })

  test('is not tried again by itself', async () => {
    const server = upstream()
    server.failure = login().error
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.names()
    const { attempts } = server
    await gateway.clock.advance(3_600_000)
    expect(server.attempts).toBe(attempts)
  })

  test('connects with the next call once somebody has signed in, and its lists are told', async () => {
    const server = upstream()
    const { error, finish } = login()
    server.failure = error
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    expect(await client.names()).toEqual([])
    server.failure = undefined
    finish(true)
    await settle()
    expect(gateway.service.states()).toMatchObject([{ state: 'idle', reason: undefined }])
    await gateway.clock.advance(1000)
    expect(client.received('notifications/tools/list_changed')).toHaveLength(1)
    expect(await client.text('one__fine')).toBe('fine')
  })

  test('connects with the next call after somebody signed in elsewhere', async () => {
    const server = upstream()
    server.failure = login().error
    await using gateway = createGateway({ upstreams: { one: server } })
    await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
    server.failure = undefined
    expect(await gateway.service.call({ server: 'one', tool: 'fine' }, {})).toEqual(text('fine'))
    expect(gateway.service.states()).toMatchObject([{ state: 'ready' }])
  })

  test('stays as it is where the sign-in came to nothing', async () => {
    const server = upstream()
    const { error, finish } = login()
    server.failure = error
    await using gateway = createGateway({ upstreams: { one: server } })
    await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
    finish(false)
    await settle()
    expect(gateway.service.states()).toMatchObject([{ state: 'auth-needed' }])
  })

  test('is tried afresh when told to', async () => {
    const server = upstream()
    server.failure = login().error
    await using gateway = createGateway({ upstreams: { one: server } })
    const changes: string[] = []
    gateway.service.watchStates((name) => changes.push(name))
    await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
    expect(gateway.service.retry('one')).toBe(true)
    expect(gateway.service.retry('two')).toBe(false)
    expect(gateway.service.states()).toMatchObject([{ state: 'idle', reason: undefined }])
    expect(changes).toEqual(['one', 'one', 'one'])
  })
})

test('a server that failed is tried at once when told to', async () => {
  const server = upstream()
  server.failure = new Error('no such command')
  await using gateway = createGateway({ upstreams: { one: server } })
  const call = () => errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
  for (let failures = 0; failures < 6; failures++) {
    await call()
    await gateway.clock.advance(30_000)
  }
  await call()
  const { attempts } = server
  await call()
  expect(server.attempts).toBe(attempts)
  server.failure = undefined
  gateway.service.retry('one')
  expect(await call()).toBe('no error')
})

describe('a client that can show URLs', () => {
  test('is told which, and when it is done', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const first = await gateway.client({ capabilities: { elicitation } })
    await first.names()
    const { error, finish } = login()
    server.failure = error
    const client = await gateway.client({ capabilities: { elicitation } })
    const answer = await client.call('one__fine').catch((caught: unknown) => caught)
    expect(errorText(answer)).toMatchInlineSnapshot(
      `"-32042 Server "one" needs a sign-in: nobody has signed in yet"`,
    )
    expect(answer).toMatchObject({
      data: { elicitations: [{ mode: 'url', elicitationId: 'login-1', url }] },
    })
    expect(client.received('notifications/elicitation/complete')).toEqual([])
    server.failure = undefined
    finish(true)
    await settle()
    expect(client.received('notifications/elicitation/complete')).toEqual([
      { elicitationId: 'login-1' },
    ])
    expect(await client.text('one__fine')).toBe('fine')
  })

  test("of the official SDK reads it as the SDK's own error", async () => {
    const server = upstream()
    const { error, finish } = login()
    server.failure = error
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await connectForeign(gateway.published, { capabilities: { elicitation } })
    const done: unknown[] = []
    client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
      done.push(params)
    })
    const call = client.callTool({ name: 'one__fine', arguments: {} })
    const answer: unknown = await call.catch((caught: unknown) => caught)
    expect(answer).toBeInstanceOf(UrlElicitationRequiredError)
    expect(answer instanceof UrlElicitationRequiredError && answer.elicitations).toMatchObject([
      { mode: 'url', elicitationId: 'login-1', url },
    ])
    server.failure = undefined
    finish(true)
    await settle()
    expect(done).toEqual([{ elicitationId: 'login-1' }])
    expect(await client.callTool({ name: 'one__fine', arguments: {} })).toMatchObject(text('fine'))
    await client.close()
  })

  test('is told which even where nobody could ask yet what the server offers', async () => {
    const server = upstream()
    server.failure = login().error
    await using gateway = createGateway({ upstreams: { one: server, two: upstream() } })
    const client = await gateway.client({ capabilities: { elicitation } })
    expect(await client.text('one__fine')).toBe(
      '-32042 Server "one" needs a sign-in: nobody has signed in yet',
    )
    expect(await client.text('two__none')).toMatch('-32602 Unknown tool: two__none')
    const plain = await gateway.client()
    expect(await plain.text('one__fine')).toBe(
      `-32008 Server "one" needs a sign-in: nobody has signed in yet. Sign in at ${url}`,
    )
  })

  test('is not asked for what a hook, or any other call below its own, needed', async () => {
    const policy = upstream()
    policy.failure = login().error
    await using gateway = createGateway({
      upstreams: { one: policy, two: upstream() },
      hooks: toHooks({ 'tools/call?server=two': 'one/fine' }),
    })
    const client = await gateway.client({ capabilities: { elicitation } })
    expect(await client.text('two__fine')).toMatchInlineSnapshot(
      `"-32004 two/fine was refused: hook tools/call?server=two one/fine (one/fine) failed: Server "one" needs a sign-in: nobody has signed in yet"`,
    )
  })
})

describe('a server that wants a sign-in after it had been ready', () => {
  test.each([
    { stepUp: false, state: 'auth-needed' },
    { stepUp: true, state: 'ready' },
  ])('for more: $stepUp, is $state, and its other calls go on', async ({ stepUp, state }) => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: server } })
    const client = await gateway.client()
    await client.text('one__fine')
    const { error, finish } = login({ stepUp })
    const near = server.near.at(-1)
    if (!near) throw new Error('There is no connection')
    const send = near.send
    near.send = () => Promise.reject(error)
    expect(await client.text('one__fine')).toMatch('-32008 Server "one" needs a sign-in')
    expect(gateway.service.states()).toMatchObject([{ state }])
    near.send = send
    finish(true)
    await settle()
    expect(await client.text('one__fine')).toBe('fine')
    expect(gateway.service.states()).toMatchObject([{ state: 'ready', connections: 1 }])
    expect(server.attempts).toBe(1)
  })
})

describe('a server whose one connection everybody shares', () => {
  const shared = { sharing: 'process' } as const

  test.each([
    ['with a client that can show URLs', { elicitation }],
    ['with one that cannot', {}],
  ])('shows nobody where to sign in: %s', async (_, capabilities) => {
    const server = upstream()
    server.failure = login().error
    await using gateway = createGateway({ upstreams: { one: [server, shared] } })
    const client = await gateway.client({ capabilities })
    const errors = [
      await client.call('one__fine').catch((caught: unknown) => caught),
      await gateway.service.call({ server: 'one', tool: 'fine' }, {}).catch((caught) => caught),
    ]
    for (const error of errors) {
      expect(errorText(error)).toMatchInlineSnapshot(
        `"-32008 Server "one" needs a sign-in: nobody has signed in yet, and everybody shares one connection to it, so an operator has to sign in"`,
      )
      expect(inspect(error, { depth: 9 })).not.toContain('login.example')
    }
    expect(gateway.service.states()).toMatchObject([{ state: 'auth-needed', restarts: 0 }])
  })

  test('shows nobody either after it had been ready', async () => {
    const server = upstream()
    await using gateway = createGateway({ upstreams: { one: [server, shared] } })
    const client = await gateway.client({ capabilities: { elicitation } })
    await client.text('one__fine')
    const near = server.near.at(-1)
    if (!near) throw new Error('There is no connection')
    near.send = () => Promise.reject(login().error)
    const error = await client.call('one__fine').catch((caught: unknown) => caught)
    expect(errorText(error)).toMatch('-32008 Server "one" needs a sign-in')
    expect(inspect(error, { depth: 9 })).not.toContain('login.example')
  })

  test('is not knocked at while it waits for that, and then whoever listens is connected', async () => {
    const resources = {
      'resources/list': () => ({ resources: [{ name: 'it', uri: 'one://it' }] }),
      'resources/subscribe': () => ({}),
    }
    const server = serveUpstream(answerTools({ fine: () => text('fine') }, resources))
    await using gateway = createGateway({ upstreams: { one: [server, shared] } })
    const client = await gateway.client()
    expect(await client.text('one__fine')).toBe('fine')
    const { error, finish } = login()
    server.failure = error
    await client.session.request('resources/subscribe', { uri: 'one://it' })
    await server.crash()
    await gateway.clock.advance(3_600_000)
    expect(server.attempts).toBe(2)
    server.failure = undefined
    finish(true)
    await settle()
    await gateway.clock.advance(1000)
    expect(server.attempts).toBe(3)
  })
})

test('hooks are not shown where somebody is to sign in', async () => {
  const server = upstream()
  server.failure = login().error
  const policy = createPolicy({ see: () => undefined })
  await using gateway = createGateway({
    upstreams: { one: server },
    builtIns: [policy.definition],
    hooks: toHooks({ '*': '!mutate:policy/see' }),
  })
  await errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {}))
  expect(policy.seen.map(({ direction, point }) => `${point} ${direction}`)).toContain(
    'tools/call request',
  )
  expect(JSON.stringify(policy.seen)).not.toContain('login.example')
})
