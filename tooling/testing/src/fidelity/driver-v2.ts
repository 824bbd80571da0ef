import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { z } from 'zod'
import { recordTransport } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'
import { createTape } from './tape.ts'
import type { ClientBehaviour, Driver, Endpoint, FidelityClient } from './target.ts'

/** Clients of `@modelcontextprotocol/client` 2.x in its default, legacy, mode. */
export const sdkV2: Driver = { name: 'SDK v2', connect }

const anyObject = z.looseObject({})

async function connect(endpoint: Endpoint, behaviour: ClientBehaviour): Promise<FidelityClient> {
  const { capabilities, answer } = behaviour
  const client = new Client({ name: 'judge-v2', version: '1.0.0' }, { capabilities })
  if (answer !== undefined) {
    client.fallbackRequestHandler = async ({ method }) => answer(method)
  }
  const transport = openTransport(endpoint)
  const tape = createTape('v2')
  recordTransport(transport, tape.record)
  await client.connect(transport)
  return {
    tape,
    capabilities,
    request: (method, params, options) => client.request({ method, params }, anyObject, options),
    callTool: async (name, args) => asObject(await client.callTool({ name, arguments: args })),
    notify: (method, params) => client.notification({ method, ...(params && { params }) }),
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
