import type { FetchLike } from './environment.ts'

/** A server at a URL. */
export interface HttpOptions {
  readonly url: string
  /** Sent to the server's own origin, and to no other. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Makes the requests in somebody's name, as the layers of `@mobius-mcp/auth` do. A `ProtocolError`
   * that it throws is what the message fails with. Left out where `headers` hold an `Authorization`.
   */
  readonly auth?: FetchLayer | undefined
}

/** A layer over `fetch`. It sees every request to the server, and where redirects of it lead. */
export type FetchLayer = (next: FetchLike) => FetchLike
