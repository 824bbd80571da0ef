// Starts the server as a client of the official SDK does, and calls it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: ['weather.mjs'] }))
const result = await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } })
console.log(JSON.stringify(result.structuredContent))
await client.close()
