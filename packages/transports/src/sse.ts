import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Clock,
  isProtocolError,
  type Message,
  type ProtocolError,
  systemClock,
  type Wire,
} from '@mobius-mcp/protocol'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type ConnectEnvironment, defaultMaxMessageBytes, type FetchLike } from './environment.ts'
import { TransportError } from './errors.ts'
import { mediaType, readEvents } from './http/bodies.ts'
import { createOwnFetch, parseServerUrl, toPlainUrl } from './http/own-fetch.ts'
import { receiveEvent } from './http/receive.ts'
import {
  isSessionLoss,
  type Refusal,
  takeRefusal,
  toNetworkProblem,
  toRefusalError,
} from './http/refusal.ts'
import type { HttpOptions } from './http-options.ts'
import { toPlainText } from './plain-text.ts'
import { createRedactor, secretsOfUrl } from './redact.ts'

/**
 * Makes a wire to a server that speaks HTTP with SSE as MCP 2024-11-05 had it: one stream for all
 * that the server says, a POST for each message to it. The SDK's transport makes the requests and
 * checks where it is sent to; the stream is read here, and its end is the wire's end.
 */
export function createSseWire(options: HttpOptions, environment: ConnectEnvironment = {}): Wire {
  return new SseWire(options, environment)
}

class SseWire implements Wire {
  onclose: (() => void) | undefined = undefined
  onerror: ((error: Error) => void) | undefined = undefined
  onmessage: ((message: Message, extra?: object) => void) | undefined = undefined
  closeReason: string | undefined = undefined
  readonly #environment: ConnectEnvironment
  readonly #clock: Clock
  readonly #url: URL
  readonly #redact: (text: string) => string
  /** The server, as it may be shown. */
  readonly #where: string
  readonly #fetch: FetchLike
  readonly #sdk: SSEClientTransport
  readonly #post = new AsyncLocalStorage<Post>()
  readonly #closed = new AbortController()
  readonly #posts = new Set<Post>()
  #failed: (error: ProtocolError) => void = () => {}
  #refusal: Refusal | undefined
  #ended = false

  constructor(options: HttpOptions, environment: ConnectEnvironment) {
    this.#environment = environment
    this.#clock = environment.clock ?? systemClock
    this.#url = parseServerUrl(options.url)
    this.#redact = createRedactor([
      ...Object.entries(options.headers ?? {}),
      ...secretsOfUrl(this.#url),
    ])
    this.#where = this.#redact(toPlainUrl(this.#url))
    this.#fetch = createOwnFetch(this.#url, options, environment.fetch)
    this.#sdk = new SSEClientTransport(this.#url, { fetch: this.#intercepted })
  }

  setProtocolVersion(version: string): void {
    this.#sdk.setProtocolVersion(version)
  }

  /** Opens the stream, and waits until the server has said where to send messages. */
  async start(): Promise<void> {
    const { signal } = this.#environment
    signal?.throwIfAborted()
    const giveUp = () => this.#failed(this.#unavailable('given up before it answered'))
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      await new Promise<void>((resolve, reject) => {
        this.#failed = reject
        this.#sdk.start().then(resolve, (error) => reject(this.#toError(this.#refusal, error)))
      })
    } catch (error) {
      this.#end((error as Error).message)
      throw error
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  async send(message: Message): Promise<void> {
    if (this.#ended) {
      const reason = this.closeReason
      throw new TransportError('CONNECTION_CLOSED', `Nothing was sent: ${reason}`)
    }
    const post = new Post()
    this.#posts.add(post)
    try {
      // Free-standing types on our side, zod's on the SDK's; it only writes it as JSON.
      await this.#post.run(post, () => this.#sdk.send(message as JSONRPCMessage))
    } catch (error) {
      throw this.#toSendError(post.refusal, error)
    } finally {
      this.#posts.delete(post)
    }
  }

  async close(): Promise<void> {
    this.#end('the connection was closed')
  }

  readonly #intercepted: FetchLike = async (url, init) => {
    const isStream = new Headers(init?.headers).get('accept') === 'text/event-stream'
    if (isStream) return await this.#openStream(url, init)
    const post = this.#post.getStore()
    if (!post) return await this.#fetch(url, init)
    // The SDK's signal is one for all requests, and collects a listener from each.
    return await post.take(await this.#fetch(url, { ...init, signal: post.signal }))
  }

  async #openStream(url: string | URL, init: RequestInit | undefined): Promise<Response> {
    try {
      const { signal } = this.#closed
      return await this.#takeStream(await this.#fetch(url, { ...init, signal }))
    } catch (error) {
      // The SDK keeps no more of it than its text.
      if (isProtocolError(error)) this.#failed(error)
      throw error
    }
  }

  /** Gives the SDK the one event that it needs, and keeps the others. */
  async #takeStream(response: Response): Promise<Response> {
    const { body, ok, status, statusText, headers } = response
    if (status >= 300 && status < 400) return response
    if (!ok || !body || mediaType(response) !== 'text/event-stream') {
      const [refusal, copy] = await takeRefusal(response)
      this.#refusal = refusal
      return copy
    }
    const forSdk = new ReadableStream<Uint8Array>({
      start: (controller) => void this.#read(body, controller),
    })
    return new Response(forSdk, { status, statusText, headers })
  }

  async #read(
    body: ReadableStream<Uint8Array>,
    sdk: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    const limit = this.#environment.maxMessageBytes ?? defaultMaxMessageBytes
    let reason = 'the server ended the stream'
    try {
      await readEvents(body, limit, {
        onEvent: (event) => {
          if (event.event === 'endpoint') sdk.enqueue(endpointEvent(event.data))
          else receiveEvent(event, this)
        },
      })
    } catch (error) {
      reason = `the stream broke (${toNetworkProblem(error)})`
    }
    this.#failed(this.#unavailable(`${reason} before it said where to send messages`))
    this.#end(reason)
  }

  onMessage(message: Message): void {
    if (!this.#ended) this.onmessage?.(message)
  }

  onProblem(error: Error): void {
    this.onerror?.(error)
  }

  #toSendError(refusal: Refusal | undefined, error: unknown): ProtocolError {
    if (!refusal || !isSessionLoss(refusal)) return this.#toError(refusal, error)
    // After the request has failed with its own reason, which lets it be sent again.
    setImmediate(() => this.#end('the server has forgotten the session'))
    const message = `${this.#where} has forgotten the session, so nothing was carried out`
    return new TransportError('SESSION_LOST', message, { status: refusal.status })
  }

  #toError(refusal: Refusal | undefined, error: unknown): ProtocolError {
    // The auth layer's own: it says itself what has to be done.
    if (isProtocolError(error)) return error
    if (refusal) return toRefusalError(this.#where, refusal, this.#redact)
    return this.#unavailable(toNetworkProblem(error))
  }

  #unavailable(problem: string): TransportError {
    const text = toPlainText(this.#redact(problem), 300)
    return new TransportError('SERVER_UNAVAILABLE', `Could not reach ${this.#where}: ${text}`)
  }

  #end(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.closeReason = reason
    this.#closed.abort()
    for (const post of this.#posts) post.abort()
    // Without this it would open the stream again: a new session that knows nothing of the old.
    void this.#sdk.close()
    this.onclose?.()
  }
}

/** One message on its way. */
class Post {
  readonly #controller = new AbortController()
  refusal: Refusal | undefined

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(): void {
    this.#controller.abort()
  }

  async take(response: Response): Promise<Response> {
    this.refusal = undefined
    if (response.ok || (response.status >= 300 && response.status < 400)) return response
    const [refusal, copy] = await takeRefusal(response)
    this.refusal = refusal
    return copy
  }
}

function endpointEvent(data: string): Uint8Array {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return new TextEncoder().encode(`event: endpoint\n${lines.join('')}\n`)
}
