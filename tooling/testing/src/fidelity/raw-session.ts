import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { JsonObject } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'
import { collect, readEventStream, type StreamItem } from './event-stream.ts'

/** The answer to one HTTP request, on a connection of its own, of which nothing is read until asked for. */
export interface RawAnswer {
  readonly status: number
  /** The media type without its parameters. */
  readonly type: string
  readonly headers: IncomingMessage['headers']
  /** Events and comments as they come; leaving the loop early cuts the connection. */
  items(): AsyncGenerator<StreamItem, void, undefined>
  /** The messages of a stream to its end, or the one of a JSON body. */
  messages(): Promise<JsonObject[]>
  /** Cuts the connection. */
  cut(): void
}

/** A session of Streamable HTTP with nothing between the judge and the socket. */
export interface RawSession extends AsyncDisposable {
  readonly id: string
  post(message: JsonObject): Promise<RawAnswer>
  listen(lastEventId?: string): Promise<RawAnswer>
  /** Calls a tool and gives the answer to it, and nothing that came before. */
  call(name: string, args: JsonObject): Promise<JsonObject>
}

/** Opens one more session at the place that is judged. */
export type OpenRawSession = () => Promise<RawSession>

const protocolVersion = '2025-11-25'

/** Opens a session with an `initialize` that declares no capabilities. */
export async function openRawSession(url: string): Promise<RawSession> {
  const clientInfo = { name: 'judge-raw', version: '1.0.0' }
  const params = { protocolVersion, capabilities: {}, clientInfo }
  const initialize = { jsonrpc: '2.0', id: 'open', method: 'initialize', params }
  const opened = await send(url, 'POST', {}, initialize)
  const answers = await opened.messages()
  const id = opened.headers['mcp-session-id']
  if (typeof id !== 'string') {
    throw new Error(`No session: HTTP ${opened.status} ${JSON.stringify(answers)}`)
  }
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': protocolVersion }
  const post: RawSession['post'] = (message) => send(url, 'POST', headers, message)
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
  await (await post(initialized)).messages()
  return {
    id,
    post,
    listen: (lastEventId) =>
      send(url, 'GET', {
        ...headers,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      }),
    async call(name, args) {
      const answer = await post(toCall(crypto.randomUUID(), name, args))
      return (await answer.messages()).at(-1) ?? {}
    },
    async [Symbol.asyncDispose]() {
      const ended = await send(url, 'DELETE', headers)
      ended.cut()
    },
  }
}

/** A `tools/call` as it goes over the wire. */
export function toCall(
  id: string | number,
  name: string,
  args: JsonObject,
  _meta?: JsonObject,
): JsonObject {
  const params = { name, arguments: args, ...(_meta && { _meta }) }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/** The message that an event carries, or `undefined` if it carries none. */
export function toMessage(item: StreamItem): JsonObject | undefined {
  return item.kind === 'event' && item.data !== '' ? asObject(JSON.parse(item.data)) : undefined
}

async function send(
  url: string,
  method: 'POST' | 'GET' | 'DELETE',
  headers: Record<string, string>,
  message?: JsonObject,
): Promise<RawAnswer> {
  const accept = method === 'POST' ? 'application/json, text/event-stream' : 'text/event-stream'
  const body = message === undefined ? {} : { 'content-type': 'application/json' }
  // Without an agent every request has its own socket, so one that is not read holds up no other.
  const outgoing = request(url, { method, agent: false, headers: { accept, ...body, ...headers } })
  outgoing.end(message === undefined ? undefined : JSON.stringify(message))
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  // A connection that is cut reports an error that nobody has to see.
  response.on('error', () => undefined)
  const type = (response.headers['content-type'] ?? '').split(';')[0]?.trim() ?? ''
  const items = (): ReturnType<RawAnswer['items']> => readEventStream(response)
  return {
    status: response.statusCode ?? 0,
    type,
    headers: response.headers,
    items,
    messages: async () =>
      type === 'text/event-stream'
        ? (await collect(items())).map(toMessage).filter((message) => message !== undefined)
        : toBody(await text(response)),
    cut: () => {
      response.destroy()
    },
  }
}

function toBody(body: string): JsonObject[] {
  return body === '' ? [] : [asObject(JSON.parse(body))]
}
