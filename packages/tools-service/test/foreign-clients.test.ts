import type { MessageHandler } from '@mobius-mcp/protocol'
import { fromSdkServer } from '@mobius-mcp/protocol/sdk'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  ListToolsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { connectForeign, serveForeign } from './support/foreign.ts'
import { createGateway, type Gateway } from './support/gateway.ts'
import { settle } from './support/settle.ts'

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text

const doors = [
  {
    door: 'everything that is published',
    prefix: 'one__',
    open: ({ published }: Gateway) => published,
  },
  {
    door: 'the one server',
    prefix: '',
    open: ({ service }: Gateway) => service.publishServer('one') as MessageHandler,
  },
]

describe.each(doors)('the SDK’s client at the SDK’s server through $door', ({ prefix, open }) => {
  function setUp() {
    const { upstream, servers } = serveForeign()
    const gateway = createGateway({ upstreams: { one: upstream } })
    return { gateway, upstream, servers, door: open(gateway) }
  }

  test('lists and calls, and nothing is lost on the way', async () => {
    const { gateway, door } = setUp()
    await using _ = gateway
    const client = await connectForeign(door)
    const { tools, nextCursor } = await client.listTools()
    const more =
      nextCursor === undefined ? [] : (await client.listTools({ cursor: nextCursor })).tools
    expect([...tools, ...more].map(({ name }) => name)).toEqual(
      ['echo', 'ask', 'sample', 'roots', 'work', 'refuse', 'wait'].map((name) => prefix + name),
    )
    const result = await client.callTool({ name: `${prefix}echo`, arguments: { a: null } })
    expect(result).toEqual({ content: [{ type: 'text', text: '{"a":null}' }], 'x-kept': null })
    await expect(client.callTool({ name: `${prefix}refuse` })).rejects.toMatchObject({
      code: -32602,
      data: { field: null },
    })
    await client.close()
  })

  test('is asked what its server asks, two clients with two calls each at once', async () => {
    const { gateway, door } = setUp()
    await using _ = gateway
    const clients = await Promise.all(['anna', 'bert'].map((who) => connectForeign(door, { who })))
    const answers = await Promise.all(
      clients.flatMap((client) =>
        ['one', 'two'].map(async (message) =>
          textOf(await client.callTool({ name: `${prefix}ask`, arguments: { message } })),
        ),
      ),
    )
    expect(answers).toEqual([
      '{"action":"accept","content":{"who":"anna","message":"one"}}',
      '{"action":"accept","content":{"who":"anna","message":"two"}}',
      '{"action":"accept","content":{"who":"bert","message":"one"}}',
      '{"action":"accept","content":{"who":"bert","message":"two"}}',
    ])
    const [anna] = clients
    expect(textOf(await anna?.callTool({ name: `${prefix}sample` }))).toContain('"model":"anna"')
    expect(textOf(await anna?.callTool({ name: `${prefix}roots` }))).toContain('file:///anna')
  })

  test('that can answer nothing is not asked, and its call goes on', async () => {
    const { gateway, door } = setUp()
    await using _ = gateway
    const client = await connectForeign(door, { capabilities: {} })
    const failure = client.callTool({ name: `${prefix}sample` })
    await expect(failure).rejects.toThrow(/does not support sampling|Method not found/)
    expect(textOf(await client.callTool({ name: `${prefix}echo` }))).toBe('{}')
  })

  test('sees progress and log messages, and can take a call back', async () => {
    const { gateway, door } = setUp()
    await using _ = gateway
    const client = await connectForeign(door)
    const seen: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      seen.push(params.data)
    })
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress)
    await client.callTool({ name: `${prefix}work` }, undefined, { onprogress })
    expect(seen).toEqual([1, 2, 'working'])
    const abort = new AbortController()
    const call = client.callTool({ name: `${prefix}wait` }, undefined, { signal: abort.signal })
    await settle()
    abort.abort('enough')
    await expect(call).rejects.toThrow('enough')
    await settle()
    expect(gateway.events.at(-1)).toMatchObject({ name: 'wait', outcome: 'cancelled' })
  })

  test('uses prompts, resources, completion and subscriptions', async () => {
    const { gateway, servers, door } = setUp()
    await using _ = gateway
    const client = await connectForeign(door)
    const prompt = await client.getPrompt({ name: `${prefix}greet`, arguments: { to: 'you' } })
    expect(prompt.messages[0]?.content).toEqual({ type: 'text', text: '{"to":"you"}' })
    expect(await client.readResource({ uri: 'x://items/7' })).toEqual({
      contents: [{ uri: 'x://items/7', text: 'x://items/7' }],
    })
    const ref = { type: 'ref/prompt' as const, name: `${prefix}greet` }
    const argument = { name: 'to', value: 'yo' }
    expect((await client.complete({ ref, argument })).completion.values).toEqual(['yo!'])
    const updated: string[] = []
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri)
    })
    await client.subscribeResource({ uri: 'x://1' })
    await servers.at(-1)?.sendResourceUpdated({ uri: 'x://1' })
    expect(updated).toEqual(['x://1'])
    await client.unsubscribeResource({ uri: 'x://1' })
    await client.setLoggingLevel('warning')
  })

  test('hears of changed lists', async () => {
    const { gateway, servers, door } = setUp()
    await using _ = gateway
    const client = await connectForeign(door)
    let told = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      told += 1
    })
    await client.listTools()
    servers.at(-1)?.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: 'other', inputSchema: { type: 'object' } }],
    }))
    await servers.at(-1)?.sendToolListChanged()
    await gateway.clock.advance(1000)
    expect(told).toBe(1)
    expect((await client.listTools()).tools).toMatchObject([{ name: `${prefix}other` }])
  })

  test('goes on after its server has died', async () => {
    const { gateway, upstream, door } = setUp()
    await using _ = gateway
    const client = await connectForeign(door)
    await client.callTool({ name: `${prefix}echo` })
    const call = client.callTool({ name: `${prefix}wait` })
    await settle()
    await upstream.crash('killed by SIGKILL')
    await expect(call).rejects.toThrow('one/wait: connection closed: killed by SIGKILL')
    expect(textOf(await client.callTool({ name: `${prefix}echo` }))).toBe('{}')
    expect(upstream.attempts).toBe(2)
  })
})

test('an SDK server in this process is like any other, and ends with its session', async () => {
  let closed = 0
  const definition = fromSdkServer('sdk', () => {
    const server = new McpServer({ name: 'sdk', version: '1' })
    server.registerTool('roots', {}, async () => {
      const { roots } = await server.server.listRoots()
      return { content: [{ type: 'text', text: String(roots[0]?.uri) }] }
    })
    server.server.onclose = () => {
      closed += 1
    }
    return server
  })
  await using gateway = createGateway({ builtIns: [definition], crossing: 'copy' })
  const client = await connectForeign(gateway.published, { who: 'anna' })
  expect(textOf(await client.callTool({ name: 'sdk__roots' }))).toBe('file:///anna')
  await client.close()
  await settle()
  expect(closed).toBe(1)
})
