import type { HookParams } from '@mobius-mcp/hooks'
import type { JsonObject, Target, Timeouts } from '@mobius-mcp/protocol'
import type { AgentSettings } from './agent-settings.ts'
import type { BearerKey } from './bearer-key.ts'
import type { ConfigProblem } from './errors.ts'
import type { ModelSettings } from './model-settings.ts'
import type { PermissionSettings } from './permission-settings.ts'
import type { PromptSettings } from './prompt-settings.ts'
import type { Secret } from './secret.ts'
import type { VariableSettings } from './variable-settings.ts'

/**
 * One validated configuration: an immutable snapshot, frozen all the way down. Nothing in it shows a
 * secret unasked.
 */
export interface Configuration {
  /** Where it came from: the first of its files; `undefined` where there is none. */
  readonly file: string | undefined
  /** Every file that was read for it, also those that references name. */
  readonly files: readonly string[]
  /** Folders in which a new file would count. */
  readonly folders: readonly string[]
  /** A digest of all settings: changes when anything does. Secrets went into it, so don't show it. */
  readonly identity: string
  /** In the order of the files. */
  readonly servers: readonly ServerSettings[]
  /** In the order of the files. */
  readonly agents: readonly AgentSettings[]
  /** Names of the agents that people are led to, the default one first. Empty where there is no agent. */
  readonly entrypoints: readonly string[]
  readonly models: ModelSettings
  /** Those that the files themselves hold, of the server `prompts`. */
  readonly prompts: readonly PromptSettings[]
  /** Those that `env` declares. */
  readonly variables: readonly VariableSettings[]
  readonly publish: PublishSettings
  /** What is published at `/mcp/g/<name>`. Without prototype. */
  readonly groups: Readonly<Record<string, PublishSettings>>
  /** In the order of the files: the servers' own after those of all. */
  readonly hooks: readonly HookSettings[]
  readonly permissions: PermissionSettings
  readonly http: HttpSettings
  readonly log: LogSettings
  /** The folder in which everything is kept, absolute if the file's own path was. */
  readonly state?: string
  /** Names of all profiles, asked for or not. */
  readonly profiles: readonly string[]
  /** What was read but has no effect, by name: settings of other clients, and what is not yet honoured. */
  readonly warnings: readonly ConfigProblem[]
  /** Where the value at a path of the files was written: `['mcpServers', 'github', 'url']`. `undefined` for a default. */
  provenance(path: readonly string[]): Provenance | undefined
}

/** Where a value was written, and what was put into it. */
export interface Provenance {
  readonly file: string
  readonly line: number
  readonly column: number
  /** Names of variables, `file:path`, `exec:program`, `input:id`. */
  readonly references: readonly string[]
}

/** How many use one connection: one session, all of one principal, or everybody. */
export type Sharing = 'session' | 'principal' | 'process'

/** One entry of `mcpServers`. */
export interface ServerSettings {
  readonly name: string
  /** A digest of all the rest: changes when anything does. Secrets went into it, so don't show it. */
  readonly identity: string
  readonly connection: ConnectionSettings
  readonly sharing: Sharing
  /** What differs from the defaults, in milliseconds; `Infinity` for no limit. */
  readonly timeouts: Readonly<Partial<Timeouts>>
  /**
   * What differs for single tools, by the server's own names for them. An object without prototype:
   * any name may be looked up.
   */
  readonly toolTimeouts: Readonly<Record<string, Readonly<Partial<Timeouts>>>>
  /** After how many unused milliseconds its connection is closed; `Infinity` for never. */
  readonly idleTimeout?: number
  /** How many requests it is sent at a time. */
  readonly maxInFlight?: number
  /** Outside, its tools and prompts have their own names, not `server__tool`. */
  readonly plainNames: boolean
  /** Known by name, never connected, not published. */
  readonly disabled: boolean
}

/** How a server is reached: `revealConnection` gives it without secrets. */
export type ConnectionSettings = StdioSettings | RemoteSettings

/** A child process that speaks MCP on its standard input and output. */
export interface StdioSettings {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly (string | Secret)[]
  readonly env: Readonly<Record<string, string | Secret>>
  /** Absolute, if the file's own path was: where nothing is said, the folder of the file. */
  readonly cwd: string
}

/** A server behind a URL: Streamable HTTP, or the older HTTP with SSE. */
export interface RemoteSettings {
  readonly type: 'http' | 'sse'
  readonly url: string | Secret
  readonly headers: Readonly<Record<string, string | Secret>>
  readonly oauth?: OAuthSettings
}

/** How we sign in to a server that asks for it. What is absent is found out. */
export interface OAuthSettings {
  readonly clientId?: string
  readonly clientSecret?: Secret
  readonly scopes?: readonly string[]
  /** The port of the loopback address that the browser comes back to. */
  readonly callbackPort?: number
  /** The authorization server to use, whatever the server says; a client secret goes nowhere else. */
  readonly issuer?: string
  /** The URL of a document that says who we are, for authorization servers that read such. */
  readonly clientMetadataUrl?: string
}

/** What clients see. */
export interface PublishSettings {
  /**
   * `[!]server[/tool][:alias]`, where `*` stands for any characters and `!` leaves out. What `rename`
   * names stands here too, with its alias, and so is published.
   */
  readonly refs: readonly string[]
  /**
   * True where the file does not say what to include. The references then begin with every enabled
   * server of the file, and an application may add servers of its own.
   */
  readonly implied: boolean
  /** From `server/tool` to the description that clients see instead. Without prototype. */
  readonly describe: Readonly<Record<string, string>>
}

/** At a point, call a target. What a `HookDefinition` of `@mobius-mcp/hooks` is. */
export interface HookSettings {
  /** The key and the target, the same in every snapshot that has them. */
  readonly id: string
  /** A method, `*`, or a pattern with `*`. */
  readonly point: string
  /** What must hold: `server`, `name`, `direction`, … */
  readonly params: HookParams
  readonly target: Target
  /** Whether it may change what it sees; otherwise it may look and refuse. */
  readonly mutate: boolean
  /** Fixed arguments. Values of variables stand in it as they are. */
  readonly with?: JsonObject
  /** Higher ones run earlier; 0 where nothing is said. */
  readonly priority: number
  /** Milliseconds; `Infinity` for no limit. */
  readonly timeout: number
  /** What a failure of the hook itself means. */
  readonly onError: 'deny' | 'allow'
  readonly enabled: boolean
  /** An expression that must be true. */
  readonly if?: string
  /** Traces say that it changed something, and keep what to themselves. */
  readonly redact?: boolean
}

/** How much is logged, and in which form. What is absent is left to the application. */
export interface LogSettings {
  readonly level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** `auto`: for people in a terminal, else JSON. */
  readonly format?: 'auto' | 'human' | 'json'
  /** Whether results say as text what hooks did to them, for models and people. */
  readonly hookTrace?: boolean
}

/** How Mobius itself is reached over HTTP. What is absent is left to the host's defaults. */
export interface HttpSettings {
  readonly listen?: ListenAddress
  /** `host`, `host:port` or `host:*`. */
  readonly allowedHosts: readonly string[]
  /** `https://host[:port]`. */
  readonly allowedOrigins: readonly string[]
  /** IP addresses and CIDR blocks. */
  readonly trustedProxies: readonly string[]
  readonly maxBodyBytes?: number
  /** Milliseconds between two comments that keep a silent stream open; `Infinity` for none. */
  readonly keepAlive?: number
  readonly keys: readonly BearerKey[]
  readonly sessions: SessionSettings
}

/** A network address to listen on. Port 0 lets the system choose. */
export interface ListenAddress {
  /** A name or an IP address, an IPv6 one without brackets. */
  readonly host: string
  readonly port: number
}

export interface SessionSettings {
  /** After how many unused milliseconds a client's session ends; `Infinity` for never. */
  readonly idleTimeout?: number
  readonly max?: number
}
