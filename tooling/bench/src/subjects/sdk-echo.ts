import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { echoSchema, toEchoResult } from './echo-schema.ts'

/** The echo as the official SDK's users write it. */
export function createSdkEcho(): McpServer {
  const server = new McpServer({ name: 'bench-echo', version: '1.0.0' })
  server.registerTool(
    'echo',
    { description: 'Echo.', inputSchema: echoSchema, outputSchema: echoSchema },
    async ({ text }) => toEchoResult(text),
  )
  return server
}
