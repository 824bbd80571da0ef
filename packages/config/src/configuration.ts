import type { Timeouts } from '@mobius-mcp/protocol'
import type { ConfigProblem } from './errors.ts'

/** One validated configuration: an immutable snapshot, frozen all the way down. */
export interface Configuration {
  /** Where it came from. */
  readonly file: string
  /** In the order of the file. */
  readonly servers: readonly ServerSettings[]
  readonly publish: PublishSettings
  readonly http: HttpSettings
  /** What was read but has no effect: settings of other clients, by name. */
  readonly warnings: readonly ConfigProblem[]
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
  /** Outside, its tools and prompts have their own names, not `server__tool`. */
  readonly plainNames: boolean
  /** Known by name, never connected, not published. */
  readonly disabled: boolean
}

/** How a server is reached. */
export type ConnectionSettings = StdioSettings | RemoteSettings

/** A child process that speaks MCP on its standard input and output. */
export interface StdioSettings {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Absolute, if the file's own path was: where nothing is said, the folder of the file. */
  readonly cwd: string
}

/** A server behind a URL: Streamable HTTP, or the older HTTP with SSE. */
export interface RemoteSettings {
  readonly type: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
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

/** Who presents `key` as a bearer token is `name`. */
export interface BearerKey {
  readonly name: string
  readonly key: string
}

export interface SessionSettings {
  /** After how many unused milliseconds a client's session ends; `Infinity` for never. */
  readonly idleTimeout?: number
  readonly max?: number
}
