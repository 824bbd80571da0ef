import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js'

/** A person at a client: answers forms. */
export type Person = (form: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>

/** A client of the official SDK, connected over HTTP. */
export async function connectClient(
  url: string,
  headers: Record<string, string> = {},
  person?: Person,
): Promise<Client & AsyncDisposable> {
  const capabilities = person ? { elicitation: { form: {} } } : {}
  const client = new Client({ name: 'gateway-test', version: '1.0.0' }, { capabilities })
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params))
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  // The SDK's class misses its own interface under exactOptionalPropertyTypes.
  await client.connect(transport as Transport)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}
