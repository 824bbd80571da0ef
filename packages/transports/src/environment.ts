import type { Clock } from '@mobius-mcp/protocol'

/** Something a server said beside its messages, or something odd about the connection to it. */
export interface LogLine {
  readonly level: 'debug' | 'warning'
  /** `stdout`: a line there that is no message; `stderr`: a line there; `wire`: ours. */
  readonly source: 'stdout' | 'stderr' | 'wire'
  /** One line of plain text, cut to a bearable length, without the secrets of the options. */
  readonly text: string
}

/** `fetch`, as far as it is needed here. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>

/** What a connection needs of the world around it. Everything has a default. */
export interface ConnectEnvironment {
  /** Gives the attempt up; once the wire has started it does nothing. */
  readonly signal?: AbortSignal | undefined
  readonly log?: ((line: LogLine) => void) | undefined
  readonly clock?: Clock | undefined
  /** A longer message from the server ends the stream it comes on; 256 MiB by default. */
  readonly maxMessageBytes?: number | undefined
  /** Where a child's few inherited variables are taken from; `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** How long, in milliseconds, a child may take to end: after its stdin ended, and after SIGTERM. */
  readonly graces?: Graces | undefined
  /** Makes the HTTP requests; by default the global `fetch`, without its limits on silence. */
  readonly fetch?: FetchLike | undefined
}

/** How long a child is waited for. */
export interface Graces {
  /** After the end of its stdin; 2,000 by default. */
  readonly stdin?: number | undefined
  /** After SIGTERM; 2,000 by default. */
  readonly term?: number | undefined
}

export const defaultMaxMessageBytes: number = 256 * 1024 * 1024
