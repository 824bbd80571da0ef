import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type ChangedList,
  defineServer,
  ProtocolError,
  type ServerDefinition,
  tool,
} from '../../src/index.ts'
import { toSdkServer } from '../../src/sdk.ts'
import { settle } from '../support/test-clock.ts'

let changeList = (_: ChangedList) => {}
let changeResource = () => {}
const ended: string[] = []
const aborted: unknown[] = []

const definition = defineServer({
  name: 'ours',
  version: '2',
  instructions: 'Be kind.',
  logging: true,
  tools: {
    add: tool({
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      run: ({ a, b }) => ({ sum: a + b }),
    }),
    report: tool({
      description: 'Reports progress and a log line.',
      async run(_, context) {
        context.progress({ progress: 1, total: 2 })
        context.log('debug', 'small')
        context.log('error', 'big')
        await settle()
        return 'done'
      },
    }),
    ask: tool({
      description: 'Asks everything.',
      async run(_, context) {
        const form = { type: 'object' as const, properties: {} }
        const { action } = await context.elicit({ message: 'Sure?', requestedSchema: form })
        const { model } = await context.sample({ messages: [], maxTokens: 1 })
        const { roots } = await context.listRoots()
        return `${action} ${model} ${roots.length} ${context.session.peer?.info.name}`
      },
    }),
    wait: tool({
      description: 'Waits to be cancelled.',
      run: (_, { signal }) =>
        new Promise<string>(() =>
          signal.addEventListener('abort', () => aborted.push(signal.reason)),
        ),
    }),
    secret: tool({
      description: 'Fails by a mistake of the caller.',
      run() {
        throw new ProtocolError('INVALID_PARAMS', 'Not like this', { data: { field: 'x' } })
      },
    }),
  },
  resources: {
    'test://a': {
      name: 'a',
      read: () => 'text of a',
      watch(_, changed) {
        changeResource = changed
        return () => void ended.push('watch')
      },
    },
    'test://broken': {
      name: 'broken',
      read() {
        throw new Error('/home/me/secret')
      },
    },
  },
  resourceTemplates: {
    'test://t/{id}': {
      name: 't',
      read: ({ id }) => `text of ${id}`,
      complete: { id: () => ['1'] },
    },
  },
  prompts: { hello: { arguments: { who: { required: true } }, get: ({ who }) => `Hello ${who}` } },
  watch(changed) {
    changeList = changed
    return () => void ended.push('server')
  },
})

async function connect(capabilities: ClientCapabilities = {}) {
  const sdk = await toSdkServer(definition)
  const client = new Client({ name: 'theirs', version: '1' }, { capabilities })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([sdk.connect(far), client.connect(near)])
  return { sdk, client, [Symbol.asyncDispose]: () => client.close() }
}

async function callText(client: Client, name: string): Promise<unknown> {
  const { content, isError } = await client.callTool({ name })
  return [(content as { text: string }[])[0]?.text, isError]
}

describe('a server of ours as an SDK server, used by the SDK’s client', () => {
  test('shakes hands with what it is and has', async () => {
    await using pair = await connect()
    expect(pair.client.getServerVersion()).toEqual({ name: 'ours', version: '2' })
    expect(pair.client.getInstructions()).toBe('Be kind.')
    expect(pair.client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    })
    expect(await pair.client.ping()).toEqual({})
  })

  test('lists and calls tools', async () => {
    await using pair = await connect()
    const { tools } = await pair.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['add', 'report', 'ask', 'wait', 'secret'])
    const called = await pair.client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
    expect(called.structuredContent).toEqual({ sum: 3 })
  })

  test('answers errors with their own number, text and data, and hides the inside of others', async () => {
    await using pair = await connect()
    await expect(pair.client.callTool({ name: 'secret' })).rejects.toMatchObject({
      code: -32602,
      message: 'MCP error -32602: Not like this',
      data: { field: 'x' },
    })
    await expect(pair.client.callTool({ name: 'none' })).rejects.toMatchObject({
      code: -32602,
      message: 'MCP error -32602: Unknown tool: none',
    })
    await expect(pair.client.readResource({ uri: 'test://none' })).rejects.toMatchObject({
      code: -32002,
      data: { uri: 'test://none' },
    })
    await expect(pair.client.readResource({ uri: 'test://broken' })).rejects.toMatchObject({
      code: -32603,
      message: 'MCP error -32603: Internal error',
    })
  })

  test('reports progress, and log lines from the level that the client set', async () => {
    await using pair = await connect()
    const lines: unknown[] = []
    pair.client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      lines.push([params.level, params.data])
    })
    await pair.client.setLoggingLevel('warning')
    const seen: unknown[] = []
    await pair.client.callTool({ name: 'report' }, undefined, {
      onprogress: (progress) => seen.push(progress),
    })
    expect(seen).toEqual([{ progress: 1, total: 2 }])
    expect(lines).toEqual([['error', 'big']])
  })

  test('asks what the client declared, and knows who it is', async () => {
    await using pair = await connect({ elicitation: {}, sampling: {}, roots: {} })
    pair.client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }))
    pair.client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }))
    pair.client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: 'assistant',
      model: 'small',
      content: { type: 'text', text: 'hi' },
    }))
    expect(await callText(pair.client, 'ask')).toEqual(['decline small 0 theirs', undefined])
  })

  test('does not ask what it did not declare, and passes on what the client answers as an error', async () => {
    await using silent = await connect()
    expect(await callText(silent.client, 'ask')).toEqual([
      'Method not found: elicitation/create. The client did not declare the capability "elicitation".',
      true,
    ])
    await using failing = await connect({ elicitation: {} })
    failing.client.setRequestHandler(ElicitRequestSchema, () => {
      throw new Error('The window is closed')
    })
    expect(await callText(failing.client, 'ask')).toEqual(['The window is closed', true])
  })

  test('cancels the call that the client cancels, and takes its question back', async () => {
    await using pair = await connect({ elicitation: {} })
    const controller = new AbortController()
    const wait = pair.client.callTool({ name: 'wait' }, undefined, { signal: controller.signal })
    await settle()
    controller.abort('bored')
    await expect(wait).rejects.toThrow('bored')
    await settle()
    expect(aborted).toHaveLength(1)
    // SDK v1 overlooks the cancellation of id 0, which its first question has.
    pair.client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }))
    await pair.client.callTool({ name: 'ask' })
    const withdrawn = Promise.withResolvers<void>()
    pair.client.setRequestHandler(ElicitRequestSchema, (_, { signal }) => {
      signal.addEventListener('abort', () => withdrawn.resolve())
      return new Promise(() => {})
    })
    const again = new AbortController()
    const ask = pair.client.callTool({ name: 'ask' }, undefined, { signal: again.signal })
    await settle()
    await settle()
    again.abort('bored again')
    await expect(ask).rejects.toThrow('bored again')
    await withdrawn.promise
  })

  test('reads, subscribes, completes and prompts', async () => {
    await using pair = await connect()
    const updated: string[] = []
    pair.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri)
    })
    const { contents } = await pair.client.readResource({ uri: 'test://t/7' })
    expect(contents).toEqual([{ uri: 'test://t/7', text: 'text of 7' }])
    expect((await pair.client.listResourceTemplates()).resourceTemplates).toHaveLength(1)
    await pair.client.subscribeResource({ uri: 'test://a' })
    changeResource()
    await settle()
    expect(updated).toEqual(['test://a'])
    const { messages } = await pair.client.getPrompt({ name: 'hello', arguments: { who: 'Ann' } })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello Ann' } }])
    const { completion } = await pair.client.complete({
      ref: { type: 'ref/resource', uri: 'test://t/{id}' },
      argument: { name: 'id', value: '' },
    })
    expect(completion.values).toEqual(['1'])
  })

  test('says that a list changed, and ends its own when it is closed', async () => {
    const pair = await connect()
    const heard: string[] = []
    pair.client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => {
      heard.push(method)
    })
    await settle()
    changeList('tools')
    await settle()
    expect(heard).toEqual(['notifications/tools/list_changed'])
    await pair.client.subscribeResource({ uri: 'test://a' })
    ended.length = 0
    await pair.client.close()
    expect(ended.sort()).toEqual(['server', 'watch'])
  })
})

test('an SDK server of ours ends when its environment does', async () => {
  const closing = new AbortController()
  const sdk: Server = await toSdkServer(definition, { closing: closing.signal })
  ended.length = 0
  closing.abort()
  expect(ended).toEqual(['server'])
  await sdk.close()
})

describe('what a server asks outside of a call', () => {
  /** A server that asks for the roots whenever it is told that they changed. */
  const curious: ServerDefinition = {
    name: 'curious',
    create: () => ({
      async onMessage({ method }, { session }) {
        if (method === 'initialize') {
          const serverInfo = { name: 'curious', version: '1' }
          return { protocolVersion: '2025-11-25', capabilities: {}, serverInfo }
        }
        if (method !== 'notifications/roots/list_changed') return {}
        answers.push(await session.request('roots/list', {}).catch((error: unknown) => error))
        return undefined
      },
    }),
  }
  const answers: unknown[] = []

  test('is answered by the SDK’s client, or fails as that does', async () => {
    const sdk = await toSdkServer(curious)
    const capabilities = { roots: { listChanged: true } }
    const client = new Client({ name: 'theirs', version: '1' }, { capabilities })
    const [near, far] = InMemoryTransport.createLinkedPair()
    await Promise.all([sdk.connect(far), client.connect(near)])
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }))
    await client.sendRootsListChanged()
    await settle()
    client.setRequestHandler(ListRootsRequestSchema, () => {
      throw new McpError(-32050, 'Not now', { later: true })
    })
    await client.sendRootsListChanged()
    await settle()
    expect(answers).toMatchObject([
      { roots: [{ uri: 'file:///a' }] },
      { number: -32050, message: 'MCP error -32050: Not now', data: { later: true } },
    ])
    await client.close()
  })
})
