import { checkClientCapability } from './client-capabilities.ts'
import { ProtocolError } from './errors.ts'
import type { JsonObject, NotificationMessage, RequestId, RequestMessage } from './message.ts'
import { openSession } from './open-session.ts'
import { noTimeouts } from './pending.ts'
import type { MessageContext, MessageHandler, Session } from './session.ts'
import type { Wire } from './wire.ts'

/**
 * Makes a handler of a server at the other end of a wire, for one client: everything goes there as
 * it is, and what the server says meanwhile comes back through the call it belongs to.
 */
export async function openRelay(wire: Wire, closing: AbortSignal): Promise<MessageHandler> {
  const relay = new Relay()
  relay.session = await openSession(
    wire,
    { onMessage: (message, context) => relay.fromServer(message, context) },
    // The hop before this one keeps the time.
    { timeouts: noTimeouts },
  )
  const close = () => void relay.session?.close().catch(() => {})
  closing.addEventListener('abort', close, { once: true })
  return relay
}

class Relay implements MessageHandler {
  session: Session | undefined = undefined
  readonly #calls = new Map<RequestId, MessageContext>()
  #client: Session | undefined

  async onMessage(
    message: RequestMessage | NotificationMessage,
    context: MessageContext,
  ): Promise<JsonObject | undefined> {
    const { method, params = {} } = message
    this.#client = context.session
    if (!this.session) throw new ProtocolError('CONNECTION_CLOSED', 'The server is not connected')
    if (!('id' in message)) {
      this.session.notify(method, params)
      return undefined
    }
    let id: RequestId | undefined
    try {
      return await this.session.request(method, params, {
        cancellation: context.cancellation,
        onProgress: (progress) => context.progress(progress),
        onPending: (pending) => {
          id = pending.id
          this.#calls.set(id, context)
        },
      })
    } finally {
      if (id !== undefined) this.#calls.delete(id)
    }
  }

  fromServer(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    const { method, params = {} } = message
    const related = context.relatedTo === undefined ? undefined : this.#calls.get(context.relatedTo)
    const call = related ?? (this.#calls.size === 1 ? [...this.#calls.values()][0] : undefined)
    if (!('id' in message)) {
      if (related) related.notify(method, params)
      else this.#client?.notify(method, params)
      return undefined
    }
    if (call) return call.ask(method, params, context.signal)
    checkClientCapability(method, params, this.#client?.peer)
    if (this.#client) return this.#client.request(method, params, { signal: context.signal })
    throw new ProtocolError(
      'METHOD_NOT_FOUND',
      `Method not found: ${method}. No client is connected.`,
    )
  }
}
