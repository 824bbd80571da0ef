import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { openSession } from '@mobius-mcp/protocol'
import { toSdkServer } from '@mobius-mcp/protocol/sdk'
import { connect } from '@mobius-mcp/transports'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { loadDefinition, type OpenSession } from './connection.ts'
import { listen } from './listen.ts'

/** HTTP with SSE, as it was before Streamable HTTP, served by the SDK. */
export const openSse: OpenSession = async (module, { client, ...options }, stack) => {
  const definition = await loadDefinition(module)
  let transport: SSEServerTransport | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'POST') return await transport?.handlePostMessage(request, response)
    transport = new SSEServerTransport('/messages', response)
    const sdk = await toSdkServer(definition)
    await sdk.connect(transport)
    stack.defer(() => sdk.close())
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const origin = await listen(server, stack)
  const wire = await connect({ type: 'sse', url: `${origin}/sse` })
  const session = await openSession(wire, client, options)
  stack.defer(() => session.close())
  return session
}
