import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { defineServer, initialize, openInProcess, tool } from '@mobius-mcp/protocol'
import { createToolsService } from '@mobius-mcp/tools-service'

const service = createToolsService({
  connect: async ({ connection }) => new StdioClientTransport(connection),
  authorize: ({ name }) => ({ decision: name.startsWith('delete') ? 'deny' : 'allow', rule: 'no deleting' }),
  observe: ({ server, name, outcome }) => console.log(server, name, outcome),
})
const greet = tool({ description: 'Greets.', run: () => 'hello' })
service.addServer(defineServer({ name: 'greeter', version: '1.0.0', tools: { greet } }))
const connection = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] }
service.apply({ servers: [{ name: 'everything', identity: JSON.stringify(connection), connection }] })

const client = openInProcess(service.publish({ refs: ['*', '!everything/print*', 'greeter/greet:hello'] }))
await initialize(client, { info: { name: 'me', version: '1' }, capabilities: {} })
console.log((await client.request('tools/list', {})).tools)
console.log(await client.request('tools/call', { name: 'hello' }))
await service.close()
