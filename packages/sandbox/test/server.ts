import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

export interface TestServer extends AsyncDisposable {
  readonly origin: string
  readonly port: number
  readonly received: Received[]
}

/** A server on this machine that answers what the test wants. */
export async function openServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestServer> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    received.push({ method, url, headers })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What a promise rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<Error & { code?: string }> {
  try {
    await work
  } catch (error) {
    return error as Error
  }
  throw new Error('It succeeded, and was expected to fail')
}
