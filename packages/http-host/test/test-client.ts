import {
  type JsonObject,
  type MessageContext,
  type MessageHandler,
  negotiateVersion,
  ProtocolError,
} from '@mobius-mcp/protocol'
import { createHttpHost, type HttpHost, type HttpHostOptions } from '../src/index.ts'
import { ManualClock } from './manual-clock.ts'

/** What a tool of a test does; its arguments are in `params`. */
export type Tool = (context: MessageContext, params: JsonObject) => unknown

/** A server made by hand: it answers `initialize` and runs the tools it is given. */
export function createHandler(tools: Record<string, Tool> = {}): MessageHandler {
  return {
    onMessage(message, context) {
      const { method, params = {} } = message
      if (method === 'initialize') {
        return {
          protocolVersion: negotiateVersion(params.protocolVersion),
          capabilities: { tools: {} },
          serverInfo: { name: 'handmade', version: '1' },
        }
      }
      if (!('id' in message)) return undefined
      const tool = method === 'tools/call' ? tools[String(params.name)] : undefined
      if (!tool) throw new ProtocolError('METHOD_NOT_FOUND', `Method not found: ${method}`)
      return tool(context, params)
    },
  }
}

export interface TestHost {
  host: HttpHost
  clock: ManualClock
  errors: Error[]
}

/** A host on a clock of its own, with `tools` at `/mcp`. */
export function createTestHost(
  tools: Record<string, Tool> = {},
  options: Partial<HttpHostOptions> = {},
): TestHost {
  const clock = new ManualClock()
  const errors: Error[] = []
  const handler = createHandler(tools)
  const host = createHttpHost({
    route: (path) => (path === '/mcp' ? handler : undefined),
    clock,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { host, clock, errors }
}

export type Headers = Record<string, string | undefined>

/** Sends one HTTP request, with the headers of an ordinary client unless told otherwise. */
export async function send(
  host: HttpHost,
  method: string,
  headers: Headers = {},
  body?: unknown,
  path = '/mcp',
): Promise<Response> {
  const all: Headers = {
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
  const present = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  return await host.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: present,
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
}

/** `initialize`, as a client of the newest legacy revision that can be asked anything. */
export function initializeMessage(protocolVersion = '2025-11-25'): JsonObject {
  return {
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: {
      protocolVersion,
      capabilities: { elicitation: {}, sampling: {}, roots: {} },
      clientInfo: { name: 'test-client', version: '1' },
    },
  }
}

/** A session that a test uses. */
export class TestClient {
  readonly host: HttpHost
  readonly session: string
  readonly #headers: Headers
  readonly #path: string

  private constructor(host: HttpHost, session: string, headers: Headers, path: string) {
    this.host = host
    this.session = session
    this.#headers = headers
    this.#path = path
  }

  static async open(
    host: HttpHost,
    {
      headers = {},
      version,
      path = '/mcp',
    }: { headers?: Headers; version?: string; path?: string } = {},
  ): Promise<TestClient> {
    const response = await send(host, 'POST', headers, initializeMessage(version), path)
    const session = response.headers.get('mcp-session-id')
    if (!session) throw new Error(`No session: ${response.status} ${await response.text()}`)
    await response.text()
    return new TestClient(host, session, headers, path)
  }

  /** The same client, whose server is another process now. */
  at(host: HttpHost): TestClient {
    return new TestClient(host, this.session, this.#headers, this.#path)
  }

  async post(body: unknown, headers: Headers = {}): Promise<Response> {
    return await send(this.host, 'POST', this.#with(headers), body, this.#path)
  }

  async call(name: string, args: JsonObject = {}, id: string | number = 1): Promise<Response> {
    const _meta = { progressToken: `token-${id}` }
    const params = { name, arguments: args, _meta }
    return await this.post({ jsonrpc: '2.0', id, method: 'tools/call', params })
  }

  async listen(headers: Headers = {}): Promise<Response> {
    return await send(this.host, 'GET', this.#with(headers), undefined, this.#path)
  }

  async end(headers: Headers = {}): Promise<Response> {
    return await send(this.host, 'DELETE', this.#with(headers), undefined, this.#path)
  }

  #with(headers: Headers): Headers {
    return { 'mcp-session-id': this.session, ...this.#headers, ...headers }
  }
}

/** The JSON body of a response. */
export async function json(response: Response): Promise<JsonObject> {
  return (await response.json()) as JsonObject
}

/** Lets everything happen that needs no time to pass. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
