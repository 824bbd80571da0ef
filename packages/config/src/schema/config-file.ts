import type { JsonObject, Timeouts } from '@mobius-mcp/protocol'
import type {
  ListenAddress,
  LogSettings,
  OAuthSettings,
  SessionSettings,
  Sharing,
} from '../configuration.ts'

/** What the schema makes of all files together: every value checked and in our units, nothing filled in. */
export interface ConfigFile {
  mcpServers: Record<string, ServerEntry>
  publish?: PublishEntry
  groups?: Record<string, PublishEntry>
  hooks?: HooksEntry
  permissions?: PermissionsEntry
  http?: HttpEntry
  log?: LogSettings
  state?: string
}

export type ServerEntry = StdioEntry | RemoteEntry

/** What every server's entry may say. */
export interface CommonEntry {
  enabled?: boolean
  sharing?: Sharing
  timeouts?: TimeoutsEntry
  idleTimeout?: number
  maxInFlight?: number
  plainNames?: boolean
  tools?: Record<string, { timeouts?: TimeoutsEntry }>
  toolOverrides?: Record<string, { name?: string; description?: string }>
  hooks?: HooksEntry
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
  oauth?: OAuthEntry
}

export type OAuthEntry = Omit<OAuthSettings, 'clientSecret'> & { clientSecret?: string }

export type TimeoutsEntry = Partial<Timeouts>

export interface PublishEntry {
  include?: string[]
  exclude?: string[]
  rename?: Record<string, string>
  describe?: Record<string, string>
}

/** From `point?param=value` to what is called there. */
export type HooksEntry = Record<string, (string | HookEntry)[]>

/** The long form of one target. */
export interface HookEntry {
  target: string
  mutate?: boolean
  with?: JsonObject
  priority?: number
  timeout?: number
  onError?: 'deny' | 'allow'
  enabled?: boolean
  if?: string
  redact?: boolean
}

export interface PermissionsEntry {
  allow?: string[]
  ask?: string[]
  deny?: string[]
}

export interface HttpEntry {
  listen?: ListenAddress
  allowedHosts?: string[]
  allowedOrigins?: string[]
  trustedProxies?: string[]
  maxBodyBytes?: number
  keepAlive?: number
  keys?: KeyEntry[]
  sessions?: SessionSettings
}

export interface KeyEntry {
  name: string
  key: string
  scopes?: string[]
  publish?: PublishEntry
}
