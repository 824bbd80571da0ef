import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the browser asks for when it comes back. */
export interface CallbackRequest {
  readonly method: string
  /** The path and the query. */
  readonly target: string
  readonly host: string
}

export interface CallbackAnswer {
  readonly status: number
  readonly html: string
}

export type CallbackHandler = (request: CallbackRequest) => Promise<CallbackAnswer>

/** Something that listens for the browser to come back. */
export interface CallbackServer {
  readonly port: number
  /** Somebody waits for it: it keeps the process alive from here on. */
  hold(): void
  /** Ends it as soon as what was asked is answered. */
  close(): void
}

/** Listens on a port of this machine, 0 for any. Rejects with `EADDRINUSE` where it is taken. */
export type Listen = (port: number, handler: CallbackHandler) => Promise<CallbackServer>

/** Listens on the loopback interface, and on no other. */
export const listenOnLoopback: Listen = async (port, handler) => {
  let closing = false
  let answering = 0
  const server = createServer(async (request, response) => {
    answering += 1
    response.once('close', () => {
      answering -= 1
      if (closing && answering === 0) server.closeAllConnections()
    })
    await answer(handler, request, response)
  })
  server.headersTimeout = 10_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  // A sign-in that nobody may ever carry out is no reason to stay.
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    hold: () => void server.ref(),
    close() {
      closing = true
      server.close()
      // Browsers open connections that they do not use.
      if (answering === 0) server.closeAllConnections()
    },
  }
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // The listener goes as soon as it has answered.
  connection: 'close',
}

async function answer(
  handler: CallbackHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume()
  const { method = '', url = '', headers: sent } = request
  const { status, html } = await handler({ method, target: url, host: sent.host ?? '' })
  response.writeHead(status, headers).end(html)
}
