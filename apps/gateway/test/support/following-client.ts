import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'

/** A client of the official SDK that hears what it is told, and does not give up when nobody is there. */
export interface FollowingClient extends AsyncDisposable {
  readonly client: Client
  readonly sessionId: string
  /** What it was told, in short. */
  readonly heard: string[]
  /** The texts of a tool's result, and where it says that something was lost. */
  call(name: string): Promise<{ texts: string[]; lost: unknown }>
  /** Ends the session, as a client does that says goodbye. */
  leave(): Promise<void>
}

export async function follow(
  url: string,
  headers: Record<string, string> = {},
): Promise<FollowingClient> {
  const client = new Client(
    { name: 'follower', version: '1.0.0' },
    { capabilities: { elicitation: {} } },
  )
  const heard: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.push(`updated ${params.uri}`)
  })
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    heard.push(`log ${params.level}`)
  })
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    heard.push('tools changed')
  })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    heard.push(`asked ${params.message}`)
    return { action: 'accept', content: { name: 'Ada' } }
  })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 100,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 100,
    },
  })
  // The SDK's class misses its own interface under exactOptionalPropertyTypes.
  await client.connect(transport as Transport)
  return {
    client,
    sessionId: String(transport.sessionId),
    heard,
    async call(name) {
      const { content, _meta } = await client.callTool({ name, arguments: {} })
      const texts = (content as { text?: string }[]).map(({ text = '' }) => text)
      return { texts, lost: _meta?.['mobius-mcp.dev/state-lost'] }
    },
    leave: () => transport.terminateSession(),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
