import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** One answer of the stand-in for a provider. */
export interface Exchange {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The body as it goes over the wire, in pieces. */
  readonly body: string | readonly string[]
  /** How it ends: as HTTP wants, with the connection torn down, or not at all. */
  readonly end?: 'close' | 'reset' | 'never'
}

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

export interface Loopback extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** Resolves when a client has gone away before the end. */
  readonly gone: Promise<void>
}

/** Answers each request with the next exchange, and further ones with the last. */
export async function openLoopback(exchanges: readonly Exchange[]): Promise<Loopback> {
  const received: Received[] = []
  const gone = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const index = Math.min(received.length, exchanges.length - 1)
    const body = JSON.parse((await text(request)) || '{}') as Record<string, unknown>
    received.push({ path: request.url ?? '', headers: request.headers, body })
    response.on('close', () => !response.writableEnded && gone.resolve())
    const exchange = exchanges[index]
    if (exchange) answer(exchange, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    gone: gone.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(
  { status = 200, headers, body, end = 'close' }: Exchange,
  response: ServerResponse,
): void {
  const type = status === 200 ? 'text/event-stream' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  for (const piece of typeof body === 'string' ? [body] : body) response.write(piece)
  if (end === 'close') response.end()
  else if (end === 'reset') setImmediate(() => response.destroy())
}

/** Server-sent events that carry nothing but data. */
export function sse(...data: readonly unknown[]): string {
  return data
    .map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`)
    .join('')
}

/** Server-sent events that are named by their `type`. */
export function namedSse(...data: readonly { readonly type: string }[]): string {
  return data.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join('')
}
