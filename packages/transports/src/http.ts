import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Clock,
  errorNumbers,
  isNotification,
  isProtocolError,
  isRequest,
  type Message,
  type ProtocolError,
  type RequestId,
  systemClock,
  type Wire,
} from '@mobius-mcp/protocol'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type ConnectEnvironment, defaultMaxMessageBytes, type FetchLike } from './environment.ts'
import { TransportError } from './errors.ts'
import { Exchange, type ExchangePort, type Resumption } from './http/exchange.ts'
import { Listening, type ListeningPort } from './http/listening.ts'
import { createOwnFetch, parseServerUrl, toPlainUrl } from './http/own-fetch.ts'
import {
  answerIn,
  isSessionLoss,
  type Refusal,
  toNetworkProblem,
  toRefusalError,
} from './http/refusal.ts'
import {
  type Intercept,
  noStream,
  type StreamOutcome,
  StreamRequest,
} from './http/stream-request.ts'
import type { HttpOptions } from './http-options.ts'
import { toPlainText } from './plain-text.ts'
import { createRedactor, secretsOfUrl } from './redact.ts'

/**
 * Makes a wire to a server that speaks Streamable HTTP, MCP 2025-11-25. The SDK's transport makes
 * the requests: headers, session, redirects, signing in. What comes back is read here, message by
 * message, so that a request whose stream is lost fails at once and nothing of a message is.
 */
export function createHttpWire(options: HttpOptions, environment: ConnectEnvironment = {}): Wire {
  return new HttpWire(options, environment)
}

const resumption: Resumption = { attempts: 5, pause: 1000, minPause: 100, maxPause: 30_000 }
const goodbye = 2000

class HttpWire implements Wire, ExchangePort, ListeningPort {
  onclose: (() => void) | undefined = undefined
  onerror: ((error: Error) => void) | undefined = undefined
  onmessage: ((message: Message, extra?: object) => void) | undefined = undefined
  closeReason: string | undefined = undefined
  readonly clock: Clock
  readonly maxMessageBytes: number
  readonly resumption: Resumption = resumption
  readonly #environment: ConnectEnvironment
  readonly #url: URL
  readonly #redact: (text: string) => string
  /** The server, as it may be shown. */
  readonly #where: string
  readonly #fetch: FetchLike
  readonly #sdk: StreamableHTTPClientTransport
  /** Which of our requests the SDK is making: it hands its `fetch` no more than the URL. */
  readonly #intercept = new AsyncLocalStorage<Intercept>()
  /** By the request's id; what has none is known by itself. */
  readonly #exchanges = new Map<RequestId | Message, Exchange>()
  readonly #leaving = new AbortController()
  #listening: Listening | undefined
  #initialized: Promise<void> | undefined
  #lost: TransportError | undefined
  #sending = 0
  #closing: Promise<void> | undefined
  #ended = false

  constructor(options: HttpOptions, environment: ConnectEnvironment) {
    this.#environment = environment
    this.clock = environment.clock ?? systemClock
    this.maxMessageBytes = environment.maxMessageBytes ?? defaultMaxMessageBytes
    this.#url = parseServerUrl(options.url)
    this.#redact = createRedactor([
      ...Object.entries(options.headers ?? {}),
      ...secretsOfUrl(this.#url),
    ])
    this.#where = this.#redact(toPlainUrl(this.#url))
    this.#fetch = createOwnFetch(this.#url, options, environment.fetch)
    this.#sdk = new StreamableHTTPClientTransport(this.#url, { fetch: this.#intercepted })
  }

  get sessionId(): string | undefined {
    return this.#sdk.sessionId
  }

  setProtocolVersion(version: string): void {
    this.#sdk.setProtocolVersion(version)
  }

  /** Nothing is sent yet: HTTP has no connection of its own. */
  async start(): Promise<void> {
    this.#environment.signal?.throwIfAborted()
    await this.#sdk.start()
  }

  async send(message: Message): Promise<void> {
    // Some servers refuse what overtakes the end of the handshake.
    if (await this.#initialized) await this.#initialized
    if (!isNotification(message)) return await this.#post(message)
    if (message.method === 'notifications/cancelled') this.#abortRequest(message)
    if (message.method !== 'notifications/initialized') return await this.#post(message)
    const posted = this.#post(message)
    this.#initialized = posted
      .catch(() => {})
      .finally(() => {
        this.#initialized = undefined
      })
    await posted
    this.#listen()
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  deliver(message: Message, relatedRequestId?: RequestId): void {
    if (this.#ended) return
    this.onmessage?.(message, relatedRequestId === undefined ? undefined : { relatedRequestId })
  }

  fail(id: RequestId, message: string): void {
    if (this.#ended) return
    const error = { code: errorNumbers.CONNECTION_CLOSED, message }
    this.onmessage?.({ jsonrpc: '2.0', id, error }, { relatedRequestId: id, failure: true })
  }

  report(error: Error): void {
    this.onerror?.(error)
  }

  log(text: string): void {
    const line = toPlainText(this.#redact(text), 1000)
    this.#environment.log?.({ level: 'debug', source: 'wire', text: line })
  }

  openStream(signal: AbortSignal, lastEventId: string): Promise<StreamOutcome> {
    const request = new StreamRequest(signal)
    return request.run(() =>
      this.#intercept.run(request, () => this.#sdk.resumeStream(lastEventId)),
    )
  }

  onSessionLoss(): void {
    this.#lose(undefined)
    this.#endIfLost()
  }

  readonly #intercepted: FetchLike = async (url, init) => {
    const request = this.#intercept.getStore()
    const isMcp = new Headers(init?.headers).get('accept')?.includes('text/event-stream')
    // Signing in, or the goodbye.
    if (!isMcp) return await this.#fetch(url, { ...init, signal: this.#leaving.signal })
    // The SDK's own attempt to listen; we do that.
    if (!request || (init?.method === 'GET' && request instanceof Exchange)) return noStream()
    // The SDK's signal is one for all requests, and collects a listener from each.
    return await request.take(await this.#fetch(url, { ...init, signal: request.signal }))
  }

  async #post(message: Message): Promise<void> {
    if (this.#lost) throw this.#lost
    if (this.#closing !== undefined) throw this.#closed()
    const exchange = new Exchange(this, message)
    const id = isRequest(message) ? message.id : undefined
    const key = id ?? message
    this.#exchanges.set(key, exchange)
    this.#sending += 1
    try {
      // Free-standing types on our side, zod's on the SDK's; it only writes it as JSON.
      const sdkMessage = message as JSONRPCMessage
      await this.#intercept.run(exchange, () => this.#sdk.send(sdkMessage))
    } catch (error) {
      this.#exchanges.delete(key)
      const failure = this.#toFailure(exchange.refusal, id, error)
      if (failure instanceof Error) throw failure
      this.deliver(failure, id)
      return
    } finally {
      this.#sending -= 1
      this.#endIfLost()
    }
    void exchange.readAnswer().finally(() => this.#exchanges.delete(key))
  }

  #abortRequest(message: Message): void {
    const { params } = message as { params?: { requestId?: RequestId } }
    const id = params?.requestId as RequestId
    this.#exchanges.get(id)?.abort()
    this.#exchanges.delete(id)
  }

  #listen(): void {
    if (this.#listening || this.#closing !== undefined) return
    this.#listening = new Listening(this)
    void this.#listening.run()
  }

  /** What became of a message that was not accepted: an error, or the server's own answer. */
  #toFailure(
    refusal: Refusal | undefined,
    id: RequestId | undefined,
    error: unknown,
  ): ProtocolError | Message {
    if (this.#closing !== undefined) return this.#closed()
    // The auth layer's own: it says itself what has to be done.
    if (isProtocolError(error)) return error
    if (!refusal) {
      const problem = toPlainText(this.#redact(toNetworkProblem(error)), 300)
      return new TransportError('SERVER_UNAVAILABLE', `Could not reach ${this.#where}: ${problem}`)
    }
    if (this.sessionId !== undefined && isSessionLoss(refusal, id))
      return this.#lose(refusal.status)
    const answer = id === undefined ? undefined : answerIn(refusal, id)
    return answer ?? toRefusalError(this.#where, refusal, this.#redact)
  }

  /** The server has forgotten the session. Requests that are still on their way learn it themselves. */
  #lose(status: number | undefined): TransportError {
    if (!this.#lost) {
      const message = `${this.#where} has forgotten the session, so nothing was carried out`
      this.#lost = new TransportError('SESSION_LOST', message, { status })
      this.clock.set(() => this.#end(sessionLost), goodbye)
    }
    return this.#lost
  }

  /** Closes once every request on its way has failed with its own reason: those may be sent again. */
  #endIfLost(): void {
    if (this.#lost && this.#sending === 0) setImmediate(() => this.#end(sessionLost))
  }

  #closed(): TransportError {
    const reason = this.closeReason ?? 'the connection was closed'
    return new TransportError('CONNECTION_CLOSED', `Nothing was sent: ${reason}`)
  }

  async #shutDown(): Promise<void> {
    this.#listening?.stop()
    for (const exchange of this.#exchanges.values()) exchange.abort()
    this.#exchanges.clear()
    const timer = this.clock.set(() => this.#leaving.abort(), goodbye)
    try {
      if (!this.#lost) await this.#sdk.terminateSession()
    } catch {
      // The server may be gone, which is as good.
    } finally {
      this.clock.clear(timer)
      await this.#sdk.close()
      this.#end('the connection was closed')
    }
  }

  #end(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.closeReason = reason
    void this.close()
    this.onclose?.()
  }
}

const sessionLost = 'the server has forgotten the session'
