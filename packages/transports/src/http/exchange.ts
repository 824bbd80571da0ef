import {
  type Clock,
  isRequest,
  isResponse,
  type Message,
  type RequestId,
} from '@mobius-mcp/protocol'
import { mediaType, readEvents, readText } from './bodies.ts'
import { receiveEvent, receiveJson } from './receive.ts'
import { type Refusal, takeRefusal, toNetworkProblem } from './refusal.ts'
import type { Intercept, StreamOutcome } from './stream-request.ts'
import { wait } from './wait.ts'

/** What an exchange needs of its wire. */
export interface ExchangePort {
  readonly clock: Clock
  readonly maxMessageBytes: number
  readonly resumption: Resumption
  deliver(message: Message, relatedRequestId: RequestId): void
  /** Delivers an error answer that the server never gave. */
  fail(id: RequestId, reason: string): void
  report(error: Error): void
  openStream(signal: AbortSignal, lastEventId: string): Promise<StreamOutcome>
}

/** How a lost stream is taken up again. */
export interface Resumption {
  /** So many attempts in a row that bring nothing new are enough. */
  readonly attempts: number
  /** The pause before an attempt where the server does not say, and its bounds where it does. */
  readonly pause: number
  readonly minPause: number
  readonly maxPause: number
}

/** How long to wait before the next attempt; the server's own wish counts within bounds. */
export function toPause(resumption: Resumption, wish: number | undefined, backoff = 1): number {
  const { pause, minPause, maxPause } = resumption
  return Math.min(Math.max(wish ?? pause * backoff, minPause), maxPause)
}

/** A server that leaves the stream open after the answer is waited for this long. */
const politeness = 1000

/** One message on its way to the server, and, for a request, everything that comes back for it. */
export class Exchange implements Intercept {
  readonly #port: ExchangePort
  readonly #id: RequestId | undefined
  readonly #controller = new AbortController()
  #accepted: Response | undefined
  #refusal: Refusal | undefined
  #answered = false
  #lastEventId: string | undefined
  #retry: number | undefined
  #progressed = false

  constructor(port: ExchangePort, message: Message) {
    this.#port = port
    this.#id = isRequest(message) ? message.id : undefined
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The HTTP answer, when it was a refusal. */
  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  /** Ends it; nothing more is delivered. */
  abort(): void {
    this.#answered = true
    this.#controller.abort()
  }

  /** The SDK is told that the message was accepted, which is all it needs to know. */
  async take(response: Response): Promise<Response> {
    this.#refusal = undefined
    const { ok, status, headers } = response
    if (status >= 300 && status < 400) return response
    if (!ok) {
      const [refusal, copy] = await takeRefusal(response)
      this.#refusal = refusal
      return copy
    }
    if (this.#id === undefined) await response.body?.cancel()
    else this.#accepted = response
    return new Response(null, { status: 202, headers: sessionHeader(headers) })
  }

  /** Reads what comes back, to the end. Never throws: what goes wrong fails the request. */
  async readAnswer(): Promise<void> {
    const response = this.#accepted
    if (this.#id === undefined || !response) return
    const type = mediaType(response)
    if (type === 'text/event-stream' && response.body) await this.#readStreams(response.body)
    else if (type === 'application/json') await this.#readJson(response)
    else {
      await response.body?.cancel().catch(() => {})
      const body = type === '' ? 'no body' : `a body of type ${type}`
      this.#fail(
        `its answer is neither JSON nor an event stream: HTTP ${response.status} with ${body}`,
      )
    }
  }

  async #readJson(response: Response): Promise<void> {
    try {
      receiveJson(await readText(response.body, this.#port.maxMessageBytes), this)
    } catch (error) {
      this.#fail(toNetworkProblem(error))
      return
    }
    this.#fail('the body holds no answer to the request')
  }

  /** Reads the stream, and takes it up again where the server lets us. */
  async #readStreams(first: ReadableStream<Uint8Array>): Promise<void> {
    const { clock, resumption } = this.#port
    let problem = await this.#readStream(first)
    for (let fruitless = 0; !this.#answered; fruitless = this.#progressed ? 0 : fruitless + 1) {
      if (this.#lastEventId === undefined) return this.#fail(problem)
      if (fruitless >= resumption.attempts) {
        return this.#fail(`${problem}, and resuming it ${fruitless} times brought nothing new`)
      }
      this.#progressed = false
      await wait(clock, toPause(resumption, this.#retry), this.signal)
      if (!this.#answered) problem = await this.#resume(this.#lastEventId)
    }
  }

  /** Takes the stream up again, and says why that brought no answer. */
  async #resume(lastEventId: string): Promise<string> {
    const outcome = await this.#port.openStream(this.signal, lastEventId)
    if ('body' in outcome) return await this.#readStream(outcome.body)
    if ('problem' in outcome) return `the stream could not be resumed (${outcome.problem})`
    const { status } = outcome.refusal
    const problem = `resuming the stream was refused with HTTP ${status}`
    if (status < 500) this.#fail(problem)
    return problem
  }

  /** Reads one stream to its end, and says how that came. */
  async #readStream(body: ReadableStream<Uint8Array>): Promise<string> {
    let timer: unknown
    try {
      await readEvents(body, this.#port.maxMessageBytes, {
        onEvent: (event) => {
          if (event.id) {
            this.#progressed ||= event.id !== this.#lastEventId
            this.#lastEventId = event.id
          }
          receiveEvent(event, this)
          if (!this.#answered || timer !== undefined) return
          timer = this.#port.clock.set(() => this.#controller.abort(), politeness)
        },
        onRetry: (delay) => {
          this.#retry = delay
        },
      })
      return 'the stream ended without an answer'
    } catch (error) {
      return `the stream broke (${toNetworkProblem(error)}) without an answer`
    } finally {
      this.#port.clock.clear(timer)
    }
  }

  onMessage(message: Message): void {
    if (this.#id === undefined || this.signal.aborted) return
    if (isResponse(message) && message.id === this.#id) this.#answered = true
    this.#port.deliver(message, this.#id)
  }

  onProblem(error: Error): void {
    this.#port.report(error)
  }

  /** The request fails, unless it was answered. */
  #fail(reason: string): void {
    if (this.#answered || this.#id === undefined) return
    this.#answered = true
    this.#port.fail(this.#id, `the request was sent, but ${reason}. It may have been carried out.`)
  }
}

function sessionHeader(headers: Headers): Record<string, string> {
  const id = headers.get('mcp-session-id')
  return id === null ? {} : { 'mcp-session-id': id }
}
