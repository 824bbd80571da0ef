/** Baseline: the official SDK's client and server over its in-memory transport. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { InProcessSubject } from './contract.ts'
import { createSdkEcho } from './sdk-echo.ts'

export async function open(): Promise<InProcessSubject> {
  const server = createSdkEcho()
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  // Only a listed tool's output is validated against its schema.
  await client.listTools()
  return {
    call: (text) => client.callTool({ name: 'echo', arguments: { text } }),
    close: () => client.close(),
  }
}
