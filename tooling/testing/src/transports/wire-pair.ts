import { createWirePair, openSession } from '@mobius-mcp/protocol'
import { buildHandler } from './build-handler.ts'
import type { OpenSession } from './connection.ts'

/** A wire in memory. */
export const openWirePair: OpenSession = async (module, { client, ...options }, stack) => {
  const [near, far] = createWirePair()
  const server = await openSession(far, await buildHandler(module, stack), { kind: 'client' })
  stack.defer(() => server.close())
  return await openSession(near, client, options)
}
