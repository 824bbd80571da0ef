import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { createHttpHost } from '@mobius-mcp/http-host'
import { refusingCaller } from '@mobius-mcp/protocol'
import { serveStdio } from '@mobius-mcp/protocol/stdio'
import { createFixtureServer } from './fixture/server.ts'

const { values } = parseArgs({ options: { port: { type: 'string' } } })
const handler = await createFixtureServer().create({
  folder: '.',
  closing: new AbortController().signal,
  callerFor: () => refusingCaller,
})

if (values.port === undefined) await serveStdio(handler)
else {
  const host = createHttpHost({ route: (path) => (path === '/mcp' ? handler : undefined) })
  createServer(getRequestListener(host.fetch)).listen(Number(values.port), '127.0.0.1')
}
