import { once } from 'node:events'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { type HttpConnection, openConnection } from './connection.ts'
import type { Channel, Client, Outcome } from './contract.ts'
import { ask, dataOf, initializedBody, initializeQuestion } from './message.ts'

type Waiting = Map<number, (outcome: Outcome) => void>

/** Opens a session over HTTP with SSE (2024-11-05): answers come on one stream, requests go by POST. */
export async function openSseClient(address: string): Promise<Client> {
  const waiting: Waiting = new Map()
  const { endpoint, stream } = await openStream(new URL(address), waiting)
  const channel = createChannel(await openConnection(endpoint), endpoint, waiting)
  await ask(channel, 1, initializeQuestion)
  channel.close()
  await notify(endpoint, initializedBody)

  let lastId = 1
  return {
    nextId: () => ++lastId,
    async openChannel() {
      return createChannel(await openConnection(endpoint), endpoint, waiting)
    },
    async close() {
      stream.destroy()
    },
  }
}

async function openStream(
  url: URL,
  waiting: Waiting,
): Promise<{ endpoint: URL; stream: ClientRequest }> {
  const stream = get(url, { headers: { accept: 'text/event-stream' }, agent: false })
  const [response] = (await once(stream, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) {
    stream.destroy()
    throw new Error(`${url.href} answered HTTP ${response.statusCode}.`)
  }
  const endpoint = await new Promise<string>((resolve, reject) => {
    response.on('close', () => reject(new Error(`${url.href} ended its stream.`)))
    // Ending the session destroys the stream, which Node reports as an error.
    response.on('error', () => {})
    readEvents(response, waiting, resolve)
  })
  return { endpoint: new URL(endpoint, url), stream }
}

function readEvents(
  response: IncomingMessage,
  waiting: Waiting,
  onEndpoint: (data: string) => void,
): void {
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const events = (rest + chunk).split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) {
      const [data = ''] = dataOf(event)
      if (event.includes('event: endpoint')) onEndpoint(data)
      else settle(data, waiting)
    }
  })
}

function settle(data: string, waiting: Waiting): void {
  if (!data.startsWith('{')) return
  const { id, method } = JSON.parse(data) as { id?: unknown; method?: unknown }
  if (typeof id !== 'number' || method !== undefined) return
  const done = waiting.get(id)
  waiting.delete(id)
  done?.(data)
}

/** The slot is free again when both the POST was accepted and the answer came by stream. */
function createChannel(connection: HttpConnection, endpoint: URL, waiting: Waiting): Channel {
  return {
    exchange(id, body, done) {
      let accepted = false
      let answer: Outcome | undefined
      waiting.set(id, (outcome) => {
        answer = outcome
        if (accepted) done(answer)
      })
      connection.exchange(toPost(endpoint, body), (outcome) => {
        accepted = true
        if (outcome instanceof Error) done(outcome)
        else if (outcome.status >= 300) done(new Error(`HTTP ${outcome.status}`))
        else if (answer !== undefined) done(answer)
      })
    },
    close: () => connection.close(),
  }
}

async function notify(endpoint: URL, body: string): Promise<void> {
  const connection = await openConnection(endpoint)
  await new Promise((resolve) => connection.exchange(toPost(endpoint, body), resolve))
  connection.close()
}

function toPost(endpoint: URL, body: string): string {
  return (
    `POST ${endpoint.pathname}${endpoint.search} HTTP/1.1\r\nhost: ${endpoint.host}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
