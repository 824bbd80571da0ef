import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a reverse proxy puts in the place of the client's headers. */
export interface ReverseProxyOptions {
  /** The path below which it serves what it serves. */
  readonly prefix?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Passes every request on, as nginx, Caddy and their like do. */
export async function openReverseProxy(
  target: string,
  { prefix = '', headers = {} }: ReverseProxyOptions,
): Promise<AsyncDisposable & { readonly url: string }> {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '').slice(prefix.length)
    const passed = request(
      {
        hostname,
        port,
        path,
        method: incoming.method,
        headers: { ...incoming.headers, ...headers },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        outgoing.flushHeaders()
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
