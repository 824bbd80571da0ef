import { createWirePair, type MessageHandler, openSession } from '@mobius-mcp/protocol'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  type ClientCapabilities,
  CompleteRequestSchema,
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { Upstream } from './upstream.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

const info = { name: 'foreign', version: '1' }

const capabilities = {
  logging: {},
  completions: {},
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
}

/** A server outside that uses nothing of ours: the low-level `Server` of SDK v1. */
export function serveForeign(): { upstream: Upstream; servers: Server[] } {
  const servers: Server[] = []
  const upstream = new Upstream(async (wire) => {
    const server = createForeignServer()
    servers.push(server)
    await server.connect(wire)
  })
  return { upstream, servers }
}

function createForeignServer(): Server {
  const server = new Server(info, { capabilities, instructions: 'Be kind.' })
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const names =
      params?.cursor === '2' ? ['refuse', 'wait'] : ['echo', 'ask', 'sample', 'roots', 'work']
    const tools = names.map((name) => ({
      name,
      inputSchema: { type: 'object' as const },
      kept: null,
    }))
    return params?.cursor === '2' ? { tools } : { tools, nextCursor: '2' }
  })
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    runTool(params.name, params.arguments ?? {}, extra),
  )
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'greet' }] }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(params.arguments) } }],
  }))
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ uri: 'x://1', name: 'one' }],
  }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'x://items/{id}', name: 'item' }],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, text: uri }],
  }))
  server.setRequestHandler(SubscribeRequestSchema, () => ({}))
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}))
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => ({
    completion: { values: [`${params.argument.value}!`] },
  }))
  return server
}

async function runTool(name: string, args: Record<string, unknown>, extra: Extra) {
  switch (name) {
    case 'ask': {
      const params = {
        message: String(args.message),
        requestedSchema: { type: 'object' as const, properties: {} },
      }
      return toText(
        await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema),
      )
    }
    case 'sample': {
      const content = { type: 'text' as const, text: 'hi' }
      const params = { messages: [{ role: 'user' as const, content }], maxTokens: 1 }
      const request = { method: 'sampling/createMessage' as const, params }
      return toText(await extra.sendRequest(request, CreateMessageResultSchema))
    }
    case 'roots':
      return toText(await extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema))
    case 'work':
      await work(extra)
      return toText('worked')
    case 'refuse':
      throw new McpError(ErrorCode.InvalidParams, 'Not like this', { field: null })
    case 'wait':
      await new Promise((resolve) => extra.signal.addEventListener('abort', resolve))
      return toText('too late')
    default:
      return { ...toText(args), 'x-kept': null }
  }
}

async function work(extra: Extra): Promise<void> {
  const progressToken = extra._meta?.progressToken
  for (const progress of progressToken === undefined ? [] : [1, 2]) {
    await extra.sendNotification({
      method: 'notifications/progress',
      params: { progress, progressToken: progressToken ?? '' },
    })
  }
  const params = { level: 'info' as const, data: 'working' }
  await extra.sendNotification({ method: 'notifications/message', params })
}

function toText(value: unknown) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { content: [{ type: 'text' as const, text }] }
}

/** A client of the gateway that uses nothing of ours: the `Client` of SDK v1. */
export async function connectForeign(
  published: MessageHandler,
  options: { who?: string; capabilities?: ClientCapabilities } = {},
): Promise<Client> {
  const {
    who = 'somebody',
    capabilities: declared = { elicitation: {}, sampling: {}, roots: {} },
  } = options
  const [near, far] = createWirePair()
  await openSession(far, published, { kind: 'client' })
  const client = new Client({ name: who, version: '1' }, { capabilities: declared })
  if (declared.elicitation) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
      action: 'accept',
      content: { who, message: String(params.message) },
    }))
  }
  if (declared.sampling) {
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: 'assistant',
      model: who,
      content: { type: 'text', text: 'hello' },
    }))
  }
  if (declared.roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file:///${who}` }] }))
  }
  await client.connect(near)
  return client
}
