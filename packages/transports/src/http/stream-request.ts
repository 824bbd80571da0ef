import { mediaType } from './bodies.ts'
import { type Refusal, takeRefusal, toNetworkProblem } from './refusal.ts'

/**
 * Stands between the SDK's transport and the network for one HTTP request: `take` sees the
 * server's answer and returns the one that the SDK is to see.
 */
export interface Intercept {
  readonly signal: AbortSignal
  take(response: Response): Response | Promise<Response>
}

/** What came of a GET for an event stream. */
export type StreamOutcome =
  | { readonly body: ReadableStream<Uint8Array> }
  | { readonly refusal: Refusal }
  | { readonly problem: string }

/**
 * Asks for an event stream through the SDK's transport, which knows the headers and signs in, but
 * keeps the stream for ourselves: the SDK reads on when it should stop, and stops when it should say so.
 */
export class StreamRequest implements Intercept {
  readonly signal: AbortSignal
  #outcome: StreamOutcome | undefined

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  async take(response: Response): Promise<Response> {
    const { body, ok, status } = response
    if (ok && body && mediaType(response) === 'text/event-stream') {
      this.#outcome = { body }
      return noStream()
    }
    if (status >= 300 && status < 400) return response
    const [refusal, copy] = await takeRefusal(response)
    this.#outcome = { refusal }
    return ok ? noStream() : copy
  }

  async run(open: () => Promise<void>): Promise<StreamOutcome> {
    try {
      await open()
    } catch (error) {
      return this.#outcome ?? { problem: toNetworkProblem(error) }
    }
    return this.#outcome ?? { problem: 'the server gave no stream' }
  }
}

/** For the SDK: this server has no stream to read. */
export function noStream(): Response {
  return new Response(null, { status: 405 })
}
