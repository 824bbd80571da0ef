import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type Result, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { recordTransport } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'
import { createTape } from './tape.ts'
import type { ClientBehaviour, Driver, Endpoint, FidelityClient } from './target.ts'

/** Clients of `@modelcontextprotocol/sdk` 1.x. */
export const sdkV1: Driver = { name: 'SDK v1', connect }

async function connect(endpoint: Endpoint, behaviour: ClientBehaviour): Promise<FidelityClient> {
  const { capabilities, answer } = behaviour
  const client = new Client({ name: 'judge-v1', version: '1.0.0' }, { capabilities })
  if (answer !== undefined) {
    client.fallbackRequestHandler = async ({ method }) => answer(method) as Result
  }
  const transport = openTransport(endpoint)
  const tape = createTape('v1')
  recordTransport(transport, tape.record)
  // The SDK's own classes miss their own interface under exactOptionalPropertyTypes.
  await client.connect(transport as Transport)
  return {
    tape,
    capabilities,
    request: (method, params, options) => client.request({ method, params }, ResultSchema, options),
    callTool: async (name, args) => asObject(await client.callTool({ name, arguments: args })),
    notify: (method, params) => client.notification({ method, ...(params && { params }) } as never),
    async [Symbol.asyncDispose]() {
      if (transport instanceof StreamableHTTPClientTransport) {
        await transport.terminateSession()
      }
      await client.close()
    },
  }
}

function openTransport(endpoint: Endpoint): StdioClientTransport | StreamableHTTPClientTransport {
  switch (endpoint.kind) {
    case 'http':
      return new StreamableHTTPClientTransport(new URL(endpoint.url))
    case 'stdio':
      return new StdioClientTransport({ ...endpoint, args: [...endpoint.args] })
  }
}
