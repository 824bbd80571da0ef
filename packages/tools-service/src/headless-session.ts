import {
  Cancellation,
  type JsonObject,
  type Peer,
  ProtocolError,
  type Session,
} from '@mobius-mcp/protocol'

/**
 * The root session of work that nobody watches. It declares nothing, so servers do not ask; what is
 * asked all the same is refused at once.
 */
export class HeadlessSession implements Session {
  readonly kind = 'headless'
  readonly parent: Session | undefined = undefined
  readonly id: string = crypto.randomUUID()
  readonly ending: Cancellation = new Cancellation()
  readonly peer: Peer

  constructor(info: JsonObject) {
    this.peer = { protocolVersion: '', capabilities: {}, info }
  }

  get root(): Session {
    return this
  }

  get closed(): AbortSignal {
    return this.ending.signal
  }

  async request(method: string): Promise<JsonObject> {
    throw new ProtocolError(
      'METHOD_NOT_FOUND',
      `Method not found: ${method}. This work runs without a person or client that could answer.`,
    )
  }

  notify(): void {
    // Nobody listens.
  }

  async close(reason = 'the work has ended'): Promise<void> {
    this.ending.cancel(reason)
  }
}
