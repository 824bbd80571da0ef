// The official SDK's client, talking to the gateway by plain fetch: no socket, no server.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import gateway from './gateway.mjs'

const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
  fetch: async (url, init) => gateway.fetch(new Request(url, init)),
})
const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(transport)
const result = await client.callTool({ name: 'greeter__greet', arguments: { name: 'Oslo' } })
console.log(JSON.stringify(result))
await transport.terminateSession()
await client.close()
