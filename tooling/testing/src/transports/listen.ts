import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a port of its own until the stack is disposed; returns the origin. */
export async function listen(server: Server, stack: AsyncDisposableStack): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(async () => {
    server.close()
    // Clients keep spare connections, which would be waited for.
    server.closeAllConnections()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
