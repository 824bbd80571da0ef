import type { NodeOutgoing } from './carry-stream.ts'

/** An HTTP request, as much of it as access control needs. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  /** The URL as the client wrote it, also behind a trusted proxy. */
  readonly url: string
  /** The other end of the connection, where the runtime tells. */
  readonly remoteAddress: string | undefined
  /** The request itself. */
  readonly raw: Request
  /** A header's value; the name in lower case. */
  header(name: string): string | undefined
}

/** What `@hono/node-server` hands on with each request. */
interface NodeBindings {
  incoming?: {
    headers: Record<string, string | string[] | undefined>
    socket?: { remoteAddress?: string | undefined }
  }
  outgoing?: NodeOutgoing
}

/** One HTTP request on its way in. */
export class IncomingRequest implements HttpRequest {
  readonly raw: Request
  readonly method: string
  readonly path: string
  /** What a trusted proxy says the client asked for. */
  forwarded:
    | { readonly host: string | undefined; readonly protocol: string | undefined }
    | undefined
  readonly #node: NodeBindings | undefined

  constructor(raw: Request, path: string, environment: unknown) {
    this.raw = raw
    this.method = raw.method
    this.path = path
    this.forwarded = undefined
    // Other runtimes pass something of their own, or nothing.
    this.#node = environment as NodeBindings | undefined
  }

  /** Node has parsed the headers already; a `Headers` object made of them costs microseconds. */
  header(name: string): string | undefined {
    const incoming = this.#node?.incoming
    if (!incoming) return this.raw.headers.get(name) ?? undefined
    const value = incoming.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  get remoteAddress(): string | undefined {
    return this.#node?.incoming?.socket?.remoteAddress
  }

  /** Node's own response, where the request came through Node. */
  get outgoing(): NodeOutgoing | undefined {
    return this.#node?.outgoing
  }

  /** What the connection's own `Host` says; HTTP/2 has it in the URL only. */
  get host(): string {
    return this.header('host') ?? new URL(this.raw.url).host
  }

  get url(): string {
    if (!this.forwarded) return this.raw.url
    const { host, protocol } = this.forwarded
    const url = new URL(this.raw.url)
    return `${protocol ?? url.protocol.slice(0, -1)}://${host ?? url.host}${url.pathname}${url.search}`
  }
}
