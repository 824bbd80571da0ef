/**
 * Checked by `tsc`, never run: any SDK transport is a wire, any wire serves the SDK, and nobody casts.
 */

import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  InMemoryTransport as MemoryV2,
  type Transport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport as MemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage as MessageV1 } from '@modelcontextprotocol/sdk/types.js'
import {
  McpServer as McpServerV2,
  type JSONRPCMessage as MessageV2,
  Server as ServerV2,
} from '@modelcontextprotocol/server'
import { createWirePair, type Message, openSession, type Wire } from '../src/index.ts'
import { fromSdkServer, type SdkServer } from '../src/sdk.ts'
import { createLineWire } from '../src/stdio.ts'
import { silent } from './support/conversation.ts'

const info = { name: 'n', version: '1' }
const url = new URL('http://localhost')
const wire: Wire = createWirePair()[0]

const theirsV1: TransportV1 = wire
const theirsV2: TransportV2 = wire

export const ours: Wire[] = [
  theirsV1,
  theirsV2,
  MemoryV1.createLinkedPair()[0],
  MemoryV2.createLinkedPair()[0],
  new HttpV1(url),
  new HttpV2(url),
  new SSEClientTransport(url),
  new StdioClientTransport({ command: 'x' }),
  new StdioServerTransport(),
]

export const connected: Promise<unknown>[] = [
  new ClientV1(info).connect(wire),
  new ClientV2(info).connect(wire),
  new Server(info).connect(createLineWire(process.stdin, process.stdout)),
  new ServerV2(info).connect(wire),
  ...ours.map((each) => openSession(each, silent)),
]

export const servers: SdkServer[] = [
  new McpServerV1(info),
  new Server(info),
  new McpServerV2(info),
  new ServerV2(info),
]

fromSdkServer('n', () => new McpServerV2(info))

export function messages(v1: MessageV1, v2: MessageV2): Message[] {
  return [v1, v2]
}

export function back(message: Message): Promise<void>[] {
  return [theirsV1.send(message), theirsV2.send(message)]
}
