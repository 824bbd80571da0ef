import * as v2 from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'

/** What a test tells a client to do, and what it answers to questions. */
export interface SdkClientOptions {
  url: URL
  headers?: Record<string, string>
  onListChanged?(): void
  onError?(error: Error): void
  /** Told of each request that the client makes over HTTP. */
  onFetch?(method: string, status: number): void
}

/** An SDK's client, as far as the tests use it. */
export interface SdkClient extends AsyncDisposable {
  readonly sessionId: string | undefined
  listTools(): Promise<string[]>
  callTool(
    name: string,
    args?: Record<string, unknown>,
    options?: { onprogress?(progress: unknown): void; signal?: AbortSignal },
  ): Promise<unknown>
  terminate(): Promise<void>
}

const info = { name: 'sdk-client', version: '1.0.0' }
const capabilities = { elicitation: {} }
const answer = { action: 'accept' as const, content: { name: 'Ada' } }
const reconnectionOptions = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 50,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 5,
}

function transportOptions({ headers = {}, onFetch }: SdkClientOptions) {
  return {
    reconnectionOptions,
    requestInit: { headers },
    fetch: async (url: string | URL, init?: RequestInit) => {
      const response = await fetch(url, init)
      onFetch?.(init?.method ?? 'GET', response.status)
      return response
    },
  }
}

/** A client of the v1 SDK. */
export async function openV1(options: SdkClientOptions): Promise<SdkClient> {
  const client = new ClientV1(info, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, async () => answer)
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => options.onListChanged?.())
  client.onerror = (error) => options.onError?.(error)
  const transport = new TransportV1(options.url, transportOptions(options))
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    get sessionId() {
      return transport.sessionId
    },
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, args = {}, callOptions = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, callOptions)).content,
    terminate: () => transport.terminateSession(),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** A client of the v2 SDK, which asks for the modern era first where `mode` says so. */
export async function openV2(
  options: SdkClientOptions,
  mode: 'legacy' | 'auto' = 'legacy',
): Promise<SdkClient> {
  const client = new v2.Client(info, { capabilities, versionNegotiation: { mode } })
  client.setRequestHandler('elicitation/create', async () => answer)
  client.setNotificationHandler('notifications/tools/list_changed', () => options.onListChanged?.())
  client.onerror = (error) => options.onError?.(error)
  const transport = new v2.StreamableHTTPClientTransport(options.url, transportOptions(options))
  await client.connect(transport)
  return {
    get sessionId() {
      return transport.sessionId
    },
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, args = {}, callOptions = {}) =>
      (await client.callTool({ name, arguments: args }, callOptions)).content,
    terminate: () => transport.terminateSession(),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
