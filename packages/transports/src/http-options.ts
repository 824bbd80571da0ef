/** A server at a URL. */
export interface HttpOptions {
  readonly url: string
  /** Sent to the server's own origin, and to no other. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}
