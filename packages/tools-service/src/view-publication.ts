import type {
  JsonObject,
  ListKind,
  MessageContext,
  MessageHandler,
  NotificationMessage,
  RequestMessage,
} from '@mobius-mcp/protocol'
import { AggregatePublication } from './aggregate-publication.ts'
import type { Connection } from './connection.ts'
import type { View, ViewSubject } from './options.ts'
import type { PublicationHost } from './publication-host.ts'
import type { Root, RootListener } from './root.ts'

/** Shows each session the view that is chosen for it, which may be another one after a change. */
export class ViewPublication implements MessageHandler, RootListener {
  readonly #host: PublicationHost
  readonly #choose: (subject: ViewSubject) => View
  readonly #publications = new WeakMap<View, AggregatePublication>()

  constructor(host: PublicationHost, choose: (subject: ViewSubject) => View) {
    this.#host = host
    this.#choose = choose
  }

  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    return this.#of(context).onMessage(message, context)
  }

  onListChanged(root: Root, server: string, kinds: readonly ListKind[]): void {
    this.#of(root).onListChanged(root, server, kinds)
  }

  onResourceUpdated(root: Root, server: string, params: JsonObject): void {
    this.#of(root).onResourceUpdated(root, server, params)
  }

  onReady(root: Root, connection: Connection): void {
    this.#of(root).onReady(root, connection)
  }

  onNotification(root: Root, server: string, method: string, params?: JsonObject): void {
    this.#of(root).onNotification(root, server, method, params)
  }

  #of(subject: ViewSubject): AggregatePublication {
    const view = this.#choose(subject)
    let publication = this.#publications.get(view)
    if (!publication) {
      publication = new AggregatePublication(this.#host, view, this)
      this.#publications.set(view, publication)
    }
    return publication
  }
}
