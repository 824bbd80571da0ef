import { ProtocolError } from './errors.ts'
import type { MessageSource } from './incoming.ts'
import { MessageSession, type SessionOptions } from './message-session.ts'
import type { MessageHandler, Peer, Session } from './session.ts'
import type { MessageExtra, Wire } from './wire.ts'

/**
 * Opens a conversation over a wire, and closes the wire with it. A wire that ends closes the
 * session; requests in flight fail at once.
 *
 * @throws whatever the wire's `start` throws: a server that does not start, a host that does not answer.
 */
export async function openSession(
  wire: Wire,
  handler: MessageHandler,
  options: SessionOptions = {},
): Promise<Session> {
  if (options.parent?.ending.cancelled) {
    throw new ProtocolError('CONNECTION_CLOSED', 'The session that this one belongs to has ended')
  }
  const session = new WireSession(wire, handler, options)
  wire.onmessage = (message, extra) => {
    session.receive(message, sourceOf(extra))
  }
  wire.onclose = () => {
    session.onCancel(wire.closeReason ?? 'the other end closed the connection')
  }
  wire.onerror = (error) => options.onError?.(error)
  try {
    await wire.start()
  } catch (error) {
    session.onCancel('the wire did not start')
    throw error
  }
  return session
}

class WireSession extends MessageSession {
  readonly #wire: Wire
  #closing: Promise<void> | undefined

  constructor(wire: Wire, handler: MessageHandler, options: SessionOptions) {
    super(wire, handler, options)
    this.#wire = wire
  }

  override adopt(peer: Peer): void {
    super.adopt(peer)
    // Over HTTP every later message names the revision in a header.
    this.#wire.setProtocolVersion?.(peer.protocolVersion)
  }

  // Some wires say that they closed each time they are told to: closing them again would never end.
  override close(reason?: string): Promise<void> {
    this.#closing ??= super.close(reason).then(() => this.#wire.close())
    return this.#closing
  }
}

function sourceOf(extra: MessageExtra | undefined): MessageSource | undefined {
  if (extra?.relatedRequestId === undefined && !extra?.failure) return undefined
  return { relatedTo: extra.relatedRequestId, failure: extra.failure }
}
