import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ErrorCode,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { McpServer as McpServerV2, type ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** What a tool of these servers does with its call, whichever SDK it is written with. */
interface Exchange {
  readonly signal: AbortSignal
  elicit(message: string): Promise<{ action: string }>
  sample(): Promise<{ model: string }>
  roots(): Promise<{ roots: unknown[] }>
  progress(progress: number): Promise<void>
  log(data: string): Promise<void>
}

/** Told of what only shows inside the server. */
export interface Inside {
  onAborted?(reason: unknown): void
}

const options = { capabilities: { logging: {}, tools: { listChanged: true } } }
const info = { name: 'foreign', version: '1' }
const form = { type: 'object' as const, properties: {} }
const prompt = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'hi' } }],
  maxTokens: 1,
}

async function run(name: string, text: string, exchange: Exchange, inside: Inside) {
  switch (name) {
    case 'ask':
      return `${text}: ${(await exchange.elicit(text)).action}`
    case 'sample':
      return (await exchange.sample()).model
    case 'roots':
      return String((await exchange.roots()).roots.length)
    case 'report':
      for (const each of [1, 2]) await exchange.progress(each)
      await exchange.log(text)
      return 'reported'
    case 'wait':
      return await new Promise<string>((resolve) => {
        exchange.signal.addEventListener('abort', () => {
          inside.onAborted?.(exchange.signal.reason)
          resolve('too late')
        })
      })
    default:
      throw new Error(`The tool ${name} failed`)
  }
}

const names = ['ask', 'sample', 'roots', 'report', 'wait', 'fail']

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

function exchangeV1(extra: Extra): Exchange {
  return {
    signal: extra.signal,
    elicit: (message) =>
      extra.sendRequest(
        { method: 'elicitation/create', params: { message, requestedSchema: form } },
        ElicitResultSchema,
      ),
    sample: () =>
      extra.sendRequest(
        { method: 'sampling/createMessage', params: prompt },
        CreateMessageResultSchema,
      ),
    roots: () => extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema),
    async progress(progress) {
      const progressToken = extra._meta?.progressToken
      if (progressToken === undefined) return
      const params = { progress, progressToken }
      await extra.sendNotification({ method: 'notifications/progress', params })
    },
    log: (data) =>
      extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } }),
  }
}

export function createMcpServerV1(inside: Inside = {}): McpServer {
  const server = new McpServer(info, options)
  for (const name of names) {
    server.registerTool(
      name,
      { inputSchema: { text: z.string().optional() } },
      async ({ text = '' }, extra) => ({
        content: [{ type: 'text', text: await run(name, text, exchangeV1(extra), inside) }],
      }),
    )
  }
  return server
}

/** Lists what no typed path would let through, and answers as low as the SDK goes. */
export function createLowLevelV1(inside: Inside = {}): Server {
  const server = new Server(info, options)
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: names.map((name) => ({ name, inputSchema: { type: 'object' }, ours: { kept: null } })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    if (params.name === 'refuse') {
      throw new McpError(ErrorCode.InvalidParams, 'Not like this', { field: 'x' })
    }
    const text = String(params.arguments?.text ?? '')
    return {
      content: [{ type: 'text', text: await run(params.name, text, exchangeV1(extra), inside) }],
      ours: { kept: null },
    }
  })
  return server
}

export function createMcpServerV2(inside: Inside = {}): McpServerV2 {
  const server = new McpServerV2(info, options)
  const inputSchema = z.object({ text: z.string().optional() })
  for (const name of names) {
    server.registerTool(name, { inputSchema }, async ({ text = '' }, context) => ({
      content: [{ type: 'text', text: await run(name, text, exchangeV2(context), inside) }],
    }))
  }
  return server
}

function exchangeV2({ mcpReq }: ServerContext): Exchange {
  return {
    signal: mcpReq.signal,
    // `mcpReq.elicitInput` of 2.4.0 does not say which call it asks for; this does.
    elicit: (message) =>
      mcpReq.send({ method: 'elicitation/create', params: { message, requestedSchema: form } }),
    sample: () => mcpReq.requestSampling(prompt),
    roots: () => mcpReq.send({ method: 'roots/list' }),
    async progress(progress) {
      const progressToken = mcpReq._meta?.progressToken
      if (progressToken === undefined) return
      await mcpReq.notify({ method: 'notifications/progress', params: { progress, progressToken } })
    },
    log: (data) =>
      mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } }),
  }
}
