import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createHttpHost } from '@mobius-mcp/http-host'
import { openSession } from '@mobius-mcp/protocol'
import { connect } from '@mobius-mcp/transports'
import { buildHandler } from './build-handler.ts'
import type { OpenSession } from './connection.ts'
import { listen } from './listen.ts'

/** Streamable HTTP, served by our host on a port of its own. */
export const openHttp: OpenSession = async (module, { client, ...options }, stack) => {
  const handler = await buildHandler(module, stack)
  const host = createHttpHost({ route: (path) => (path === '/mcp' ? handler : undefined) })
  const origin = await listen(createServer(getRequestListener(host.fetch)), stack)
  stack.defer(() => host.close({ deadline: 0 }))
  const wire = await connect({ type: 'http', url: `${origin}/mcp` })
  const session = await openSession(wire, client, options)
  stack.defer(() => session.close())
  return session
}
