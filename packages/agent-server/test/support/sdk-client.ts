import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createHttpHost } from '@mobius-mcp/http-host'
import type { MessageHandler } from '@mobius-mcp/protocol'
import { listen } from '@mobius-mcp/testing/transports/listen.ts'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** An official client over HTTP. */
export async function openSdkClient(
  handler: MessageHandler,
  stack: AsyncDisposableStack,
): Promise<Client> {
  const host = createHttpHost({ route: () => handler })
  const origin = await listen(createServer(getRequestListener(host.fetch)), stack)
  stack.defer(() => host.close({ deadline: 0 }))
  const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: {} } })
  // The SDK's own types disagree with exactOptionalPropertyTypes.
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`))
  await client.connect(transport as unknown as Parameters<Client['connect']>[0])
  stack.defer(() => client.close())
  return client
}
