import { once } from 'node:events'
import { connect } from 'node:net'
import { type HttpConnection, openConnection } from './connection.ts'
import type { Answer, Channel, Client } from './contract.ts'
import { initializedBody, initializeQuestion, parseAnswer, toBody } from './message.ts'
import { type HttpResponse, headerOf } from './response.ts'

export interface StreamableClient extends Client {
  /** Opens the GET stream and waits until the server has opened it too. */
  openStream(): Promise<{ close(): void }>
}

/** Opens a session over Streamable HTTP (legacy era). */
export async function openStreamableClient(address: string): Promise<StreamableClient> {
  const url = new URL(address)
  const connection = await openConnection(url)
  try {
    const opened = await roundTrip(connection, postHead(url), toBody(1, initializeQuestion))
    const { result, error } = parseAnswer(opened.body, 1)
    if (error !== undefined) throw new Error(`${address} refused to initialize: ${error.message}`)
    const head = postHead(url, sessionHeaders(headerOf(opened.head, 'mcp-session-id'), result))
    await roundTrip(connection, head, initializedBody)
    return createClient(url, head)
  } finally {
    connection.close()
  }
}

function createClient(url: URL, head: string): StreamableClient {
  let lastId = 1
  return {
    nextId: () => ++lastId,
    async openChannel() {
      return createChannel(await openConnection(url), head)
    },
    openStream: () => openStream(url, head),
    async close() {
      if (!head.includes('mcp-session-id')) return
      const connection = await openConnection(url)
      await roundTrip(connection, head.replace('POST', 'DELETE'), '')
      connection.close()
    },
  }
}

async function openStream(url: URL, head: string): Promise<{ close(): void }> {
  const socket = connect({ host: url.hostname, port: Number(url.port) })
  // The server may cut the stream when the session ends.
  socket.on('error', () => {})
  socket.write(`${head.replace('POST', 'GET')}\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  const line = first.toString('latin1', 0, first.indexOf('\r\n'))
  if (!line.startsWith('HTTP/1.1 200')) throw new Error(`No GET stream: ${line}`)
  socket.resume()
  return { close: () => void socket.destroy() }
}

function createChannel(connection: HttpConnection, head: string): Channel {
  return {
    exchange(_id, body, done) {
      connection.exchange(toRequest(head, body), (outcome) => {
        if (outcome instanceof Error) done(outcome)
        else if (outcome.status === 200) done(outcome.body)
        else done(toError(outcome))
      })
    },
    close: () => connection.close(),
  }
}

function roundTrip(connection: HttpConnection, head: string, body: string): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    connection.exchange(toRequest(head, body), (outcome) => {
      if (outcome instanceof Error) reject(outcome)
      else if (outcome.status < 300) resolve(outcome)
      else reject(toError(outcome))
    })
  })
}

function toError(response: HttpResponse): Error {
  return new Error(`HTTP ${response.status}: ${excerptOf(response)}`)
}

/** An error page says nothing that its status does not. */
function excerptOf({ body }: HttpResponse): string {
  return body.startsWith('<') ? 'an HTML page' : body.slice(0, 300)
}

function toRequest(head: string, body: string): string {
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function postHead(url: URL, more = ''): string {
  return (
    `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\n` +
    `accept: application/json, text/event-stream\r\n${more}`
  )
}

function sessionHeaders(session: string | undefined, result: Answer['result']): string {
  const version = `mcp-protocol-version: ${String(result?.protocolVersion)}\r\n`
  return session === undefined ? version : `mcp-session-id: ${session}\r\n${version}`
}
