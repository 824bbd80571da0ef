import type { Clock, Message } from '@mobius-mcp/protocol'
import { readEvents } from './bodies.ts'
import { type Resumption, toPause } from './exchange.ts'
import { receiveEvent } from './receive.ts'
import { toNetworkProblem } from './refusal.ts'
import type { StreamOutcome } from './stream-request.ts'
import { wait } from './wait.ts'

/** What listening needs of its wire. */
export interface ListeningPort {
  readonly clock: Clock
  readonly maxMessageBytes: number
  readonly resumption: Resumption
  deliver(message: Message): void
  report(error: Error): void
  log(text: string): void
  openStream(signal: AbortSignal, lastEventId: string): Promise<StreamOutcome>
  /** The server, which gave us a stream before, does not know the session any more. */
  onSessionLoss(): void
}

/** A stream that ends sooner, with nothing said on it, counts as a failure. */
const quick = 5000

/**
 * The stream on which the server speaks of its own accord. It is optional: a server without one is
 * left alone, and one that ends it over and over is given up after some attempts.
 */
export class Listening {
  readonly #port: ListeningPort
  readonly #controller = new AbortController()
  #lastEventId = ''
  #retry: number | undefined
  #opened = false
  #spoke = false

  constructor(port: ListeningPort) {
    this.#port = port
  }

  stop(): void {
    this.#controller.abort()
  }

  /** Listens until stopped, refused or out of patience. Never throws. */
  async run(): Promise<void> {
    const { clock, resumption } = this.#port
    const { signal } = this.#controller
    for (let failures = 0; !signal.aborted; ) {
      const begin = clock.now()
      this.#spoke = false
      const problem = await this.#listenOnce()
      if (problem === undefined || signal.aborted) return
      failures = this.#spoke || clock.now() - begin >= quick ? 0 : failures + 1
      if (failures > resumption.attempts) {
        this.#port.log(`No longer listening: ${problem}, ${failures} times in a row`)
        return
      }
      await wait(clock, toPause(resumption, this.#retry, 2 ** failures), signal)
    }
  }

  /** Opens the stream and reads it. Returns why it should be tried again; `undefined` to stop. */
  async #listenOnce(): Promise<string | undefined> {
    const outcome = await this.#port.openStream(this.#controller.signal, this.#lastEventId)
    if ('problem' in outcome) return outcome.problem
    if ('body' in outcome) return await this.#read(outcome.body)
    const { status } = outcome.refusal
    if (status >= 500 || status === 429) return `HTTP ${status}`
    // Many servers answer 404 to any GET, so it means a lost session only where one was answered.
    if (status === 404 && this.#opened) this.#port.onSessionLoss()
    else if (status !== 405) this.#port.log(`Not listening: HTTP ${status}`)
    return undefined
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<string> {
    this.#opened = true
    try {
      await readEvents(body, this.#port.maxMessageBytes, {
        onEvent: (event) => {
          if (event.id) this.#lastEventId = event.id
          this.#spoke ||= event.data !== ''
          receiveEvent(event, {
            onMessage: (message) => this.#port.deliver(message),
            onProblem: (error) => this.#port.report(error),
          })
        },
        onRetry: (delay) => {
          this.#retry = delay
        },
      })
      return 'the stream ended'
    } catch (error) {
      return `the stream broke (${toNetworkProblem(error)})`
    }
  }
}
