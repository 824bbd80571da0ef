import type {
  Cancellation,
  JsonObject,
  Peer,
  RequestOptions,
  Session,
  SessionKind,
} from '@mobius-mcp/protocol'
import type { HookedMessages, Passage } from './hooked-messages.ts'

/** A session on which hooks see what our end says: for the handshake. */
export class HookedSession implements Session {
  readonly #session: Session & { adopt?(peer: Peer): void }
  readonly #messages: HookedMessages
  readonly #passage: Passage

  constructor(session: Session, messages: HookedMessages, passage: Passage) {
    this.#session = session
    this.#messages = messages
    this.#passage = passage
  }

  get id(): string {
    return this.#session.id
  }

  get kind(): SessionKind {
    return this.#session.kind
  }

  get parent(): Session | undefined {
    return this.#session.parent
  }

  get root(): Session {
    return this.#session.root
  }

  get peer(): Peer | undefined {
    return this.#session.peer
  }

  get closed(): AbortSignal {
    return this.#session.closed
  }

  get ending(): Cancellation {
    return this.#session.ending
  }

  adopt(peer: Peer): void {
    this.#session.adopt?.(peer)
  }

  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#messages.ask(this.#passage, method, params, (hooked) =>
      this.#session.request(method, hooked, options),
    )
  }

  notify(method: string, params?: JsonObject): void {
    this.#messages.tell(this.#passage, method, params, (hooked) =>
      this.#session.notify(method, hooked),
    )
  }

  close(reason?: string): Promise<void> {
    return this.#session.close(reason)
  }
}
