import type { HookDefinition } from '@mobius-mcp/hooks'
import {
  defineServer,
  type JsonObject,
  type MessageContext,
  ProtocolError,
  tool,
  uncheckedSchema,
} from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import {
  createGateway,
  errorOf,
  errorText,
  type Gateway,
  type TestClient,
} from './support/gateway.ts'
import { createPolicy, type HookInput, type Judge, toHooks } from './support/policy.ts'
import { settle, settleUntil } from './support/settle.ts'
import { answerTools, serveUpstream, text, type Upstream } from './support/upstream.ts'

/** One world in which a message passes; who began it, and what arrived. */
interface World {
  readonly gateway: Gateway
  readonly client: TestClient
  readonly outside: Upstream
  /** What the client was asked, or told. */
  readonly asked: JsonObject[]
  /** Params of the calls that reached the built-in server. */
  readonly inside: JsonObject[]
}

interface Place {
  readonly where: string
  readonly key: string
  /** Sends the message with this word in it. Resolves with what its sender gets, or its error. */
  send(world: World, word: string): Promise<string>
  /** The words that arrived. */
  arrived(world: World): unknown[]
  /** A change of the word. */
  change(word: string): JsonObject
}

const argumentsOf = (params: JsonObject) => (params.arguments as JsonObject | undefined) ?? {}

const inCalls: Pick<Place, 'change'> = {
  change: (word) => ({ params: { arguments: { word } } }),
}

const places: Place[] = [
  {
    where: 'a call of a server outside',
    key: 'tools/call?server=outside&name=echo',
    send: ({ client }, word) => client.text('outside__echo', { word }),
    arrived: ({ outside }) => outside.received('tools/call').map((each) => argumentsOf(each).word),
    ...inCalls,
  },
  {
    where: 'a call of a built-in server',
    key: 'tools/call?server=inside',
    send: ({ client }, word) => client.text('inside__echo', { word }),
    arrived: ({ inside }) => inside.map(({ word }) => word),
    ...inCalls,
  },
  {
    where: 'a question that a server asks during a call',
    key: 'elicitation/create?server=outside',
    send: ({ client }, word) => client.text('outside__ask', { word }),
    arrived: ({ asked }) => asked.map(({ message }) => message),
    change: (message) => ({ params: { message } }),
  },
  {
    where: 'a question that a built-in server asks',
    key: 'elicitation/create?server=inside',
    send: ({ client }, word) => client.text('inside__ask', { word }),
    arrived: ({ asked }) => asked.map(({ message }) => message),
    change: (message) => ({ params: { message } }),
  },
  {
    where: 'a sampling request during a call',
    key: 'sampling/createMessage?server=outside',
    send: ({ client }, word) => client.text('outside__sample', { word }),
    arrived: ({ asked }) => asked.map(({ systemPrompt }) => systemPrompt),
    change: (systemPrompt) => ({ params: { systemPrompt } }),
  },
  {
    where: 'a request for the roots outside any call',
    key: 'roots/list?server=outside',
    async send(world, word) {
      const { outside } = world
      const before = outside.sent.length
      await outside.say({ id: before, method: 'roots/list', params: { word } })
      const find = () =>
        outside.sent.slice(before).find((each) => 'id' in each && each.id === before)
      await settleUntil(() => find() !== undefined)
      const answer = find()
      if (!answer) return 'nothing'
      return 'error' in answer ? `${answer.error.code} ${answer.error.message}` : 'yes'
    },
    arrived: ({ asked }) => asked.map(({ word }) => word),
    change: (word) => ({ params: { word } }),
  },
]

const notice: Place = {
  where: 'something that a server says outside any call',
  key: 'notifications/x?server=outside',
  async send({ outside, client, gateway }, word) {
    const { length } = gateway.logs
    await outside.say({ method: 'notifications/x', params: { word } })
    const told = () => client.received('notifications/x').length > 0
    await settleUntil(() => told() || gateway.logs.length > length)
    // Where a failure is let pass, the log is first.
    await settle()
    return 'told'
  },
  arrived: ({ client }) => client.received('notifications/x').map(({ word }) => word),
  change: (word) => ({ params: { word } }),
}

const ask = async ({ word }: JsonObject, context: MessageContext, method: string) => {
  const params =
    method === 'sampling/createMessage'
      ? { systemPrompt: word, messages: [], maxTokens: 1 }
      : { message: word, requestedSchema: { type: 'object', properties: {} } }
  try {
    await context.ask(method, params)
    return text('yes')
  } catch (error) {
    return text(errorText(error))
  }
}

const outside = () =>
  serveUpstream(
    answerTools({
      echo: () => text('yes'),
      ask: (params, context) => ask(argumentsOf(params), context, 'elicitation/create'),
      sample: (params, context) => ask(argumentsOf(params), context, 'sampling/createMessage'),
    }),
  )

async function setUp(judge: Judge, place: Place, more: Partial<HookDefinition> = {}) {
  const policy = createPolicy({ check: judge })
  const server = outside()
  const inside: JsonObject[] = []
  const asked: JsonObject[] = []
  const input = uncheckedSchema({ type: 'object' })
  const builtIn = defineServer({
    name: 'inside',
    version: '1',
    tools: {
      echo: tool({
        description: 'Echoes.',
        input,
        run: (args) => {
          inside.push(args as JsonObject)
          return 'yes'
        },
      }),
      ask: tool({
        description: 'Asks.',
        input,
        async run(args, context) {
          try {
            const message = String((args as JsonObject).word)
            await context.elicit({ message, requestedSchema: { type: 'object', properties: {} } })
            return 'yes'
          } catch (error) {
            return errorText(error)
          }
        },
      }),
    },
  })
  const gateway = createGateway({
    upstreams: { outside: server },
    builtIns: [builtIn, policy.definition],
  })
  const target = more.mutate === false ? '!mutate:policy/check' : 'policy/check'
  const hooks = toHooks({ [`${place.key}&direction=request`]: target }, more, gateway.clock)
  const servers = [{ name: 'outside', identity: 'outside', connection: server }]
  gateway.service.apply({ servers, hooks })
  const answer = (params: JsonObject) => {
    asked.push(params)
    return { action: 'accept', content: {}, roots: [] }
  }
  const client = await gateway.client({
    to: place === notice ? gateway.service.publishServer('outside') : undefined,
    answers: {
      'elicitation/create': answer,
      'sampling/createMessage': answer,
      'roots/list': answer,
    },
  })
  await client.names()
  server.sent.length = 0
  policy.seen.length = 0
  const world: World = { gateway, client, outside: server, asked, inside }
  return { ...world, world, policy, [Symbol.asyncDispose]: () => gateway.service.close() }
}

describe.each([...places, notice])('a policy on $where', (place) => {
  const passed = place === notice ? 'told' : 'yes'
  const refusal = place === notice ? /^told$/ : /^-32004 /

  test('that says nothing lets it pass as it is', async () => {
    await using all = await setUp(() => undefined, place)
    expect(await place.send(all.world, 'hello')).toBe(passed)
    expect(place.arrived(all.world)).toEqual(['hello'])
    expect(all.policy.seen).toMatchObject([{ direction: 'request' }])
  })

  test('that approves lets it pass', async () => {
    await using all = await setUp(() => ({ decision: 'approve' }), place)
    expect(await place.send(all.world, 'hello')).toBe(passed)
    expect(place.arrived(all.world)).toEqual(['hello'])
  })

  test('that blocks keeps it back, and says which hook and why', async () => {
    await using all = await setUp(() => ({ decision: 'block', reason: 'not now' }), place)
    const answer = await place.send(all.world, 'hello')
    expect(answer).toMatch(refusal)
    expect(place.arrived(all.world)).toEqual([])
    const told = place === notice ? all.gateway.logs.join() : answer
    expect(told).toContain('policy/check): not now')
  })

  test('that patches it changes what arrives', async () => {
    await using all = await setUp(() => ({ patch: place.change('changed') }), place)
    expect(await place.send(all.world, 'hello')).toBe(passed)
    expect(place.arrived(all.world)).toEqual(['changed'])
  })

  test('that gives a whole value changes what arrives', async () => {
    const judge = ({ message }: HookInput) => {
      const changed = JSON.parse(JSON.stringify(message).replace('"hello"', '"changed"'))
      return { value: changed }
    }
    await using all = await setUp(judge, place)
    expect(await place.send(all.world, 'hello')).toBe(passed)
    expect(place.arrived(all.world)).toEqual(['changed'])
  })

  test('that may only look sees it, and it passes as it is', async () => {
    await using all = await setUp(({ message }) => ({ value: message }), place, { mutate: false })
    expect(await place.send(all.world, 'hello')).toBe(passed)
    expect(place.arrived(all.world)).toEqual(['hello'])
    expect(JSON.stringify(all.policy.seen)).toContain('"hello"')
  })

  test.each(['deny', 'allow'] as const)(
    'that may only look and tries to change it refuses, onError: %s',
    async (onError) => {
      const judge = () => ({ patch: place.change('changed') })
      await using all = await setUp(judge, place, { mutate: false, onError })
      expect(await place.send(all.world, 'hello')).toMatch(refusal)
      expect(place.arrived(all.world)).toEqual([])
    },
  )

  const failures: [string, Judge][] = [
    [
      'crashes',
      () => {
        throw new ProtocolError('INTERNAL_ERROR', 'out of memory')
      },
    ],
    ['fails', () => ({ ...text('no disk'), isError: true })],
    ['answers garbage', () => ({ decision: 'maybe' })],
    ['answers no object', () => ['block']],
    ['makes no message of it', () => ({ value: { params: 'text' } })],
  ]
  test.each(failures)('that %s denies by default, and says so', async (_, judge) => {
    await using all = await setUp(judge, place)
    expect(await place.send(all.world, 'hello')).toMatch(refusal)
    expect(place.arrived(all.world)).toEqual([])
  })

  test.each(failures)('that %s lets it pass with onError: allow', async (_, judge) => {
    await using all = await setUp(judge, place, { onError: 'allow' })
    expect(await place.send(all.world, 'hello')).toBe(passed)
    expect(place.arrived(all.world)).toEqual(['hello'])
  })

  test.each(['deny', 'allow'] as const)(
    'that does not answer in time: onError: %s',
    async (onError) => {
      const never = () => new Promise(() => {})
      await using all = await setUp(never, place, { onError, timeout: 1000 })
      const sent = place.send(all.world, 'hello')
      await settle()
      expect(place.arrived(all.world)).toEqual([])
      await all.gateway.clock.advance(1100)
      expect(place.arrived(all.world)).toEqual(onError === 'allow' ? ['hello'] : [])
      await sent
    },
  )
})

describe('a policy on the answer to what a server asked', () => {
  const place = places[2]
  if (!place) throw new Error('There is no such place')

  test.each<[string, Judge, unknown]>([
    [
      'changes what the server gets',
      () => ({ patch: { result: { content: { a: 1 } } } }),
      { a: 1 },
    ],
    ['keeps it back', () => ({ decision: 'block', reason: 'secret' }), undefined],
  ])('%s', async (_, judge, expected) => {
    const policy = createPolicy({ check: judge })
    const answers: unknown[] = []
    const server = serveUpstream(
      answerTools({
        async ask(_params, context) {
          const params = { message: 'x', requestedSchema: {} }
          const asking = context.ask('elicitation/create', params)
          answers.push(await asking.then(({ content }) => content, errorText))
          return text('done')
        },
      }),
    )
    await using gateway = createGateway({
      upstreams: { outside: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'elicitation/create?direction=response': 'policy/check' }),
    })
    const client = await gateway.client({
      answers: { 'elicitation/create': () => ({ action: 'accept', content: { b: 2 } }) },
    })
    expect(await client.text('outside__ask')).toBe('done')
    if (expected) expect(answers).toMatchObject([expected])
    else expect(answers).toEqual([expect.stringMatching(/^-32004 .*: secret$/)])
    expect(policy.seen).toMatchObject([
      { message: { method: 'elicitation/create', params: { message: 'x' }, result: {} } },
    ])
  })
})

describe('a policy on the handshake', () => {
  test('can refuse a server, which is then not available, with the reason', async () => {
    const policy = createPolicy({ check: () => ({ decision: 'block', reason: 'untrusted' }) })
    const server = outside()
    await using gateway = createGateway({
      upstreams: { outside: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'initialize?server=outside&direction=response': 'policy/check' }),
    })
    expect(
      await errorOf(gateway.service.call({ server: 'outside', tool: 'echo' }, {})),
    ).toMatchInlineSnapshot(
      `"-32005 Server "outside" is not available: outside initialize was refused: hook initialize?server=outside&direction=response policy/check (policy/check): untrusted"`,
    )
    expect(policy.seen).toMatchObject([
      { message: { result: { serverInfo: { name: 'upstream' } } } },
    ])
    expect(server.open).toBe(0)
  })

  test('can change what the server is told, and sees the notification after it', async () => {
    const policy = createPolicy({
      check: ({ point }) =>
        point === 'initialize'
          ? { patch: { params: { clientInfo: { name: 'somebody' } } } }
          : undefined,
    })
    const server = outside()
    await using gateway = createGateway({
      upstreams: { outside: server },
      builtIns: [policy.definition],
      hooks: toHooks({
        'initialize?server=outside&direction=request': 'policy/check',
        'notifications/initialized': 'policy/check',
      }),
    })
    await gateway.service.call({ server: 'outside', tool: 'echo' }, {})
    expect(server.received('initialize')).toMatchObject([{ clientInfo: { name: 'somebody' } }])
    expect(policy.seen.map(({ point }) => point)).toContain('notifications/initialized')
  })
})
