// A gateway inside another program: tools-service behind http-host, on plain fetch, without a socket.
import { createHttpHost } from '@mobius-mcp/http-host'
import { defineServer, tool } from '@mobius-mcp/protocol'
import { createToolsService } from '@mobius-mcp/tools-service'

const service = createToolsService({ observe: ({ server, name }) => console.log(server, name) })
const hello = tool({ description: 'Says hello.', run: () => 'hello' })
service.addServer(defineServer({ name: 'greeter', version: '1.0.0', tools: { hello } }))
const published = service.publish({ refs: ['*'] })
const host = createHttpHost({ route: (path) => (path === '/mcp' ? published : undefined) })

const accept = 'application/json, text/event-stream'
const headers = { 'content-type': 'application/json', accept }
const post = (session, method, params, id) =>
  host.fetch(new Request('http://localhost/mcp', { method: 'POST', headers: { ...headers, ...session }, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }))
const clientInfo = { name: 'example', version: '1.0.0' }
const opened = await post({}, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, 1)
const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') }
await post(session, 'notifications/initialized', {})
console.log(await (await post(session, 'tools/call', { name: 'greeter__hello' }, 2)).json())
await host.close()
