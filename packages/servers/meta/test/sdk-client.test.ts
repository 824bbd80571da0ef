import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { createWirePair, openSession, refusingCaller } from '@mobius-mcp/protocol'
import { nodeCommand } from '@mobius-mcp/testing'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  EmptyResultSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { createChangingServer } from './servers/changing-server.ts'

// The SDK's client judges schemas, results and contents by its own measure.

const program = '@mobius-mcp/testing/transports/stdio-program.ts'

const transports: Readonly<Record<string, () => Promise<Transport>>> = {
  stdio: async () => {
    const path = createRequire(import.meta.url).resolve(program)
    const module = new URL('./servers/changing-server.ts', import.meta.url)
    const { command, args } = nodeCommand(pathToFileURL(path), module.href)
    return new StdioClientTransport({ command, args: [...args] })
  },
  'a wire in memory': async () => {
    const [near, far] = createWirePair()
    const environment = { folder: '.', closing: new AbortController().signal }
    const handler = await createChangingServer().create({
      ...environment,
      callerFor: () => refusingCaller,
    })
    await openSession(far, handler, { kind: 'client' })
    return near as Transport
  },
}

describe.each(Object.entries(transports))('an SDK client over %s', (_, open) => {
  test('calls list_servers, and finds its answer as its output schema says', async () => {
    await using client = await connect(await open())
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['list_servers'])
    expect(tools[0]?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false })
    // After the list the client checks every structured result by the schema.
    const all = await client.callTool({ name: 'list_servers', arguments: {} })
    expect(all.structuredContent).toMatchObject({ servers: [{}, {}, { reason: 'no licence' }] })
    const ready = await client.callTool({ name: 'list_servers', arguments: { state: 'ready' } })
    expect(ready.structuredContent).toMatchObject({
      servers: [{ name: 'meta' }, { name: 'files' }],
    })
    const wrong = client.callTool({ name: 'list_servers', arguments: { state: [] } })
    await expect(wrong).rejects.toMatchObject({ code: -32602 })
  })

  test('lists, reads, completes and follows what goes on', async () => {
    await using client = await connect(await open())
    const updated = Promise.withResolvers<string>()
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
      updated.resolve(params.uri),
    )
    const { resources } = await client.listResources()
    expect(resources).toHaveLength(4)
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri })
      expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }])
    }
    const { resourceTemplates } = await client.listResourceTemplates()
    const [template] = resourceTemplates
    const ref = { type: 'ref/resource' as const, uri: template?.uriTemplate ?? '' }
    const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'm' } })
    expect(completion.values).toEqual(['meta'])
    await client.subscribeResource({ uri: 'server:///files' })
    const params = { name: 'files', state: 'idle' }
    await client.request({ method: 'test/state', params }, EmptyResultSchema)
    expect(await updated.promise).toBe('server:///files')
    await expect(client.readResource({ uri: 'server:///nobody' })).rejects.toMatchObject({
      code: -32002,
    })
  })
})

async function connect(transport: Transport): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}
