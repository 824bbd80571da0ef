import { Client as ClientV2, InMemoryTransport as MemoryV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as MemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createWirePair, defineServer, openSession, tool } from '../../src/index.ts'
import { build } from '../support/conversation.ts'

const definition = defineServer({
  name: 'ours',
  version: '1',
  tools: {
    double: tool({
      description: 'Doubles.',
      input: z.object({ n: z.number() }),
      output: z.object({ n: z.number() }),
      run({ n }, context) {
        context.progress({ progress: n })
        return { n: 2 * n }
      },
    }),
  },
})

const info = { name: 'theirs', version: '1' }
const clients = [
  { line: 'v1', create: () => new ClientV1(info), memory: MemoryV1 },
  { line: 'v2', create: () => new ClientV2(info), memory: MemoryV2 },
]

describe.each(clients)('the client of SDK $line', ({ create, memory }) => {
  const wires = {
    'a wire of ours': createWirePair,
    'a wire of theirs': () => memory.createLinkedPair(),
  }

  test.each(Object.entries(wires))('uses a server of ours over %s', async (_, pair) => {
    const [near, far] = pair()
    const session = await openSession(far, await build(definition), { kind: 'client' })
    const client = create()
    await client.connect(near)
    expect(client.getServerVersion()).toEqual({ name: 'ours', version: '1' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['double'])
    const call = { name: 'double', arguments: { n: 4 } }
    const { structuredContent } = await client.callTool(call)
    expect(structuredContent).toEqual({ n: 8 })
    await client.close()
    expect(session.closed.aborted).toBe(true)
  })
})
