import type { JsonObject, Timeouts } from '@mobius-mcp/protocol'
import type { AgentLimits, AgentSettings } from '../agent-settings.ts'
import type {
  ListenAddress,
  LogSettings,
  OAuthSettings,
  SessionSettings,
  Sharing,
} from '../configuration.ts'
import type { ModelDialect, PriceSettings } from '../model-settings.ts'

/** What the schema makes of all files together: every value checked and in our units, nothing filled in. */
export interface ConfigFile {
  mcpServers: Record<string, ServerEntry>
  agents?: Record<string, AgentEntry>
  models?: ModelsEntry
  prompts?: Record<string, PromptEntry>
  env?: Record<string, VariableEntry>
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

/** What an agent's entry may say. */
export interface AgentEntry {
  title?: string
  description?: string
  icon?: string
  iconDark?: string
  starterMessages?: string[]
  mode?: AgentSettings['mode']
  default?: boolean
  model?: string
  instructions?: string | InstructionsEntry
  tools?: string[]
  agents?: string[]
  mcpServers?: string[]
  prompts?: string[]
  resources?: string[]
  output?: OutputEntry
  temperature?: number
  topP?: number
  maxOutputTokens?: number
  reasoning?: NonNullable<AgentSettings['reasoning']>
  contextWindow?: number
  limits?: AgentLimits
  permissions?: PermissionsEntry
  hooks?: HooksEntry
  aliases?: string[]
  cost?: number
  speed?: number
  intelligence?: number
}

/** Instructions that a prompt gives; one of the file's own where no server is named. */
export interface InstructionsEntry {
  server?: string
  prompt: string
  arguments?: Record<string, string>
}

/** A shape as fields, or as a JSON Schema. */
export interface OutputEntry {
  name?: string
  description?: string
  fields?: FieldsEntry
  schema?: JsonObject
}

/** From a field's name and kind to its description, or to more. */
export type FieldsEntry = Record<string, string | FieldEntry>

export interface FieldEntry {
  description?: string
  required?: boolean
  fields?: FieldsEntry
}

export interface ModelsEntry {
  default?: string
  mini?: string
  aliases?: Record<string, string>
  providers?: Record<string, ProviderEntry>
  prices?: Record<string, PriceSettings>
}

export interface ProviderEntry {
  dialect?: ModelDialect
  baseUrl?: string
  key?: string
  headers?: Record<string, string>
}

export interface PromptEntry {
  description?: string
  template: string
  input?: FieldsEntry
}

export interface VariableEntry {
  description?: string
  default?: string
  options?: string[]
  optional?: boolean
  secret?: boolean
}

export interface PublishEntry {
  /** Agents and servers that people are led to, the default first. */
  entrypoint?: string[]
  /** What nanobot's lists name, beside its entry points. */
  mcpServers?: string[]
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
