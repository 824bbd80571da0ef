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

type NodeHeaders = Record<string, string | string[] | undefined>

/** What `@hono/node-server` hands on with each request. */
interface NodeBindings {
  incoming?: {
    headers: NodeHeaders
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
  /** Node has parsed them already; a `Headers` object made of them costs microseconds. */
  readonly #headers: NodeHeaders | undefined

  constructor(raw: Request, path: string, environment: unknown) {
    this.raw = raw
    this.method = raw.method
    this.path = path
    this.forwarded = undefined
    // Other runtimes pass something of their own, or nothing.
    this.#node = environment as NodeBindings | undefined
    this.#headers = this.#node?.incoming?.headers
  }

  header(name: string): string | undefined {
    if (!this.#headers) return this.raw.headers.get(name) ?? undefined
    return single(this.#headers[name])
  }

  // What every call reads stands under a name of its own: a name that varies is looked up slowly.

  get contentType(): string | undefined {
    return this.#headers ? single(this.#headers['content-type']) : this.header('content-type')
  }

  get contentLength(): string | undefined {
    return this.#headers ? single(this.#headers['content-length']) : this.header('content-length')
  }

  get accept(): string | undefined {
    return this.#headers ? single(this.#headers.accept) : this.header('accept')
  }

  get origin(): string | undefined {
    return this.#headers ? single(this.#headers.origin) : this.header('origin')
  }

  get sessionId(): string | undefined {
    return this.#headers ? single(this.#headers['mcp-session-id']) : this.header('mcp-session-id')
  }

  get protocolVersion(): string | undefined {
    if (!this.#headers) return this.header('mcp-protocol-version')
    return single(this.#headers['mcp-protocol-version'])
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
    const host = this.#headers ? single(this.#headers.host) : this.header('host')
    return host ?? new URL(this.raw.url).host
  }

  get url(): string {
    if (!this.forwarded) return this.raw.url
    const { host, protocol } = this.forwarded
    const url = new URL(this.raw.url)
    return `${protocol ?? url.protocol.slice(0, -1)}://${host ?? url.host}${url.pathname}${url.search}`
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}
