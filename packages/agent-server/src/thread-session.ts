import {
  Cancellation,
  type JsonObject,
  type Peer,
  type RequestOptions,
  type Session,
} from '@mobius-mcp/protocol'

/** What a thread's session does with what servers say to it. */
export interface ThreadClient {
  ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject>
  notify(method: string, params: JsonObject | undefined): void
}

/**
 * The root session of a thread: its servers' connections hang off it, and live as long as it does.
 * What servers ask outside a call goes to the thread's inbox.
 */
export class ThreadSession implements Session {
  readonly kind = 'thread'
  readonly parent: Session | undefined = undefined
  readonly id: string
  readonly ending: Cancellation = new Cancellation()
  readonly peer: Peer
  readonly #client: ThreadClient

  constructor(id: string, client: ThreadClient) {
    this.id = id
    this.#client = client
    this.peer = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      info: { name: 'mobius', version: '0.0.0' },
    }
  }

  get root(): Session {
    return this
  }

  get closed(): AbortSignal {
    return this.ending.signal
  }

  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#client.ask(method, params, options?.signal)
  }

  notify(method: string, params?: JsonObject): void {
    this.#client.notify(method, params)
  }

  async close(reason = 'the thread is not used any more'): Promise<void> {
    this.ending.cancel(reason)
  }
}
