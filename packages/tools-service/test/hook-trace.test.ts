import { type CallResult, isObject, type JsonObject } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import type { HookTraceOptions } from '../src/index.ts'
import { createGateway } from './support/gateway.ts'
import { createPolicy, type Judge, toHooks } from './support/policy.ts'
import { settleUntil } from './support/settle.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

const effects = 'mobius-mcp.dev/hooks'
const mutations = 'ai.nanobot.hooks/mutations'

const changing: Readonly<Record<string, Judge>> = {
  request: () => ({
    patch: { params: { arguments: { token: 'hidden' } } },
    reason: 'adds the key',
  }),
  response: () => ({ patch: { result: { checked: true } }, reason: 'checked' }),
  watch: () => undefined,
}

const hooks: Readonly<Record<string, string | readonly string[]>> = {
  'tools/call?server=one&direction=request': ['policy/request', '!mutate:policy/watch'],
  'tools/call?server=one&direction=response': 'policy/response',
}

function setUp(judges = changing, hookTrace?: HookTraceOptions, entries = hooks) {
  const policy = createPolicy(judges)
  const server = serveUpstream(
    answerTools({
      fine: () => ({ ...text('fine'), _meta: { own: 1 } }),
      ask: (_, context) => context.ask('roots/list', {}),
    }),
  )
  const gateway = createGateway({ builtIns: [policy.definition] })
  gateway.service.apply({
    servers: [configure('one', server)],
    hooks: toHooks(entries, {}, gateway.clock),
    hookTrace,
  })
  return { gateway, policy }
}

async function metaOf(result: CallResult | Promise<CallResult>, key: string): Promise<unknown> {
  const { _meta } = await result
  return isObject(_meta) ? _meta[key] : undefined
}

describe('what hooks did', () => {
  test('stands in the result, beside what else does, without what they changed it to', async () => {
    const { gateway } = setUp()
    await using _ = gateway
    const client = await gateway.client()
    const result = await client.call('one__fine')
    expect(result._meta).toMatchInlineSnapshot(`
      {
        "mobius-mcp.dev/hooks": [
          {
            "change": {
              "hash": "afbfc297bd7f1fd8ffc77f2c49d30330858bf018ddfe8ef93a0e4bb9aed7a557",
            },
            "direction": "request",
            "hook": "tools/call?server=one&direction=request policy/request",
            "method": "tools/call",
            "milliseconds": 0,
            "reason": "adds the key",
            "target": "policy/request",
          },
          {
            "change": {
              "hash": "d8e3e98fa18b9bb711ed95ae879e6e2495cd368240628cbf1b4bc5486c362873",
            },
            "direction": "response",
            "hook": "tools/call?server=one&direction=response policy/response",
            "method": "tools/call",
            "milliseconds": 0,
            "reason": "checked",
            "target": "policy/response",
          },
        ],
        "own": 1,
      }
    `)
    expect(result).toMatchObject({ ...text('fine'), checked: true })
  })

  test('stands whole in the event of the call: who looked, who changed what, how long it took', async () => {
    const { gateway } = setUp()
    await using _ = gateway
    const client = await gateway.client()
    await client.call('one__fine')
    expect(gateway.events.at(-1)?.hooks).toMatchInlineSnapshot(`
      [
        {
          "change": {
            "hash": "afbfc297bd7f1fd8ffc77f2c49d30330858bf018ddfe8ef93a0e4bb9aed7a557",
            "patch": {
              "params": {
                "arguments": {
                  "token": "hidden",
                },
              },
            },
          },
          "direction": "request",
          "hook": "tools/call?server=one&direction=request policy/request",
          "method": "tools/call",
          "milliseconds": 0,
          "reason": "adds the key",
          "target": {
            "server": "policy",
            "tool": "request",
          },
        },
        {
          "direction": "request",
          "hook": "tools/call?server=one&direction=request !mutate:policy/watch",
          "method": "tools/call",
          "milliseconds": 0,
          "target": {
            "server": "policy",
            "tool": "watch",
          },
        },
        {
          "change": {
            "hash": "d8e3e98fa18b9bb711ed95ae879e6e2495cd368240628cbf1b4bc5486c362873",
            "patch": {
              "result": {
                "checked": true,
              },
            },
          },
          "direction": "response",
          "hook": "tools/call?server=one&direction=response policy/response",
          "method": "tools/call",
          "milliseconds": 0,
          "reason": "checked",
          "target": {
            "server": "policy",
            "tool": "response",
          },
        },
      ]
    `)
  })

  test('stands as text where the configuration wants it, each on its side of the content', async () => {
    const { gateway } = setUp(changing, { text: true })
    await using _ = gateway
    const client = await gateway.client()
    const { content } = await client.call('one__fine')
    expect(content.map((each) => each.text)).toMatchInlineSnapshot(`
      [
        "The request was changed by hooks: tools/call?server=one&direction=request policy/request (adds the key)",
        "fine",
        "The result was changed by hooks: tools/call?server=one&direction=response policy/response (checked)",
      ]
    `)
  })

  test('stands as nanobot says it where the configuration wants it', async () => {
    const { gateway } = setUp(changing, { nanobot: true })
    await using _ = gateway
    const client = await gateway.client()
    expect(await metaOf(client.call('one__fine'), mutations)).toEqual({
      request: { mutated: true, reasons: ['adds the key'] },
      response: { mutated: true, reasons: ['checked'] },
    })
  })

  test.each([
    ['request', 'response'],
    ['response', 'request'],
  ])('to the %s alone says nothing of the %s', async (direction) => {
    const key = `tools/call?server=one&direction=${direction}`
    const { gateway } = setUp(
      changing,
      { nanobot: true, text: true },
      {
        [key]: `policy/${direction}`,
      },
    )
    await using _ = gateway
    const result = await (await gateway.client()).call('one__fine')
    expect(Object.keys((await metaOf(result, mutations)) as JsonObject)).toEqual([direction])
    const { content } = result
    expect(content).toHaveLength(2)
  })

  test('is nothing where all they did was look: the result is as it came', async () => {
    const { gateway } = setUp({ ...changing, request: () => undefined, response: () => undefined })
    await using _ = gateway
    const client = await gateway.client()
    expect(await client.call('one__fine')).toEqual({ ...text('fine'), _meta: { own: 1 } })
    expect(gateway.events.at(-1)?.hooks).toHaveLength(3)
  })

  test('has in it who blocked, in the event of a call that was denied', async () => {
    const { gateway } = setUp({
      ...changing,
      request: () => ({ decision: 'block', reason: 'no', systemMessage: 'Ask the operator.' }),
    })
    await using _ = gateway
    await (await gateway.client()).text('one__fine')
    expect(gateway.events.at(-1)).toMatchObject({
      outcome: 'denied',
      hooks: [{ decision: 'block', reason: 'no', systemMessage: 'Ask the operator.' }],
    })
  })

  test('has in it failures that were let pass', async () => {
    const policy = createPolicy({
      check: () => {
        throw new Error('no disk')
      },
    })
    await using gateway = createGateway({
      upstreams: { one: serveUpstream(answerTools({ fine: () => text('fine') })) },
      builtIns: [policy.definition],
      hooks: toHooks(
        { 'tools/call?server=one&direction=request': 'policy/check' },
        {
          onError: 'allow',
        },
      ),
    })
    const result = await (await gateway.client()).call('one__fine')
    expect(await metaOf(result, effects)).toMatchObject([{ failure: 'Internal error' }])
  })

  test('to a question during a call stands with the call, and is no change of its request', async () => {
    const { gateway } = setUp(
      { check: () => ({ patch: { params: { asked: 'for a reason' } } }) },
      { text: true, nanobot: true },
      { 'roots/list?direction=request': 'policy/check' },
    )
    await using _ = gateway
    const client = await gateway.client({
      answers: { 'roots/list': () => ({ roots: [], content: [] }) },
    })
    const result = await client.call('one__ask')
    expect(client.received('roots/list')).toEqual([{ asked: 'for a reason' }])
    expect(result.content).toEqual([])
    expect(await metaOf(result, effects)).toMatchObject([
      { method: 'roots/list', direction: 'request' },
    ])
    expect(result._meta).not.toHaveProperty([mutations])
  })

  test('outside a call stands in the log', async () => {
    const policy = createPolicy({ check: () => ({ patch: { params: { level: 'info' } } }) })
    const server = serveUpstream(answerTools({ fine: () => text('fine') }))
    await using gateway = createGateway({
      upstreams: { one: server },
      builtIns: [policy.definition],
      hooks: toHooks({ 'notifications/message': 'policy/check' }),
    })
    const client = await gateway.client()
    await client.text('one__fine')
    await server.say({ method: 'notifications/message', params: { level: 'error', data: 'x' } })
    await settleUntil(() => client.received('notifications/message').length > 0)
    expect(gateway.logs).toMatchInlineSnapshot(`
      [
        "one: notifications/message: hook notifications/message policy/check (policy/check) changed it",
      ]
    `)
    expect(client.received('notifications/message')).toEqual([{ level: 'info', data: 'x' }])
  })
})
