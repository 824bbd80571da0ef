import type { Timeouts } from '@mobius-mcp/protocol'
import type { BearerKey, ListenAddress, SessionSettings, Sharing } from './configuration.ts'

/** What the schema makes of a file: every value checked and in our units, nothing filled in. */
export interface ConfigFile {
  mcpServers: Record<string, ServerEntry>
  publish?: string[] | PublishEntry
  http?: HttpEntry
}

export type ServerEntry = StdioEntry | RemoteEntry

/** What every server's entry may say. */
interface CommonEntry {
  enabled?: boolean
  sharing?: Sharing
  timeouts?: TimeoutsEntry
  idleTimeout?: number
  plainNames?: boolean
  tools?: Record<string, { timeouts?: TimeoutsEntry }>
}

interface StdioEntry extends CommonEntry {
  type: 'stdio'
  command: string
  args?: string[]
  env?: Record<string, string>
  cwd?: string
}

interface RemoteEntry extends CommonEntry {
  type: 'http' | 'sse'
  url: string
  headers?: Record<string, string>
}

export type TimeoutsEntry = Partial<Timeouts>

export interface PublishEntry {
  include?: string[]
  exclude?: string[]
  rename?: Record<string, string>
  describe?: Record<string, string>
}

export interface HttpEntry {
  listen?: ListenAddress
  allowedHosts?: string[]
  allowedOrigins?: string[]
  trustedProxies?: string[]
  maxBodyBytes?: number
  keepAlive?: number
  keys?: BearerKey[]
  sessions?: SessionSettings
}
