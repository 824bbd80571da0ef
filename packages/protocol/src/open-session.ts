import { MessageSession, type SessionOptions } from './message-session.ts'
import type { MessageHandler, Session } from './session.ts'
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
  const session = new WireSession(wire, handler, options)
  wire.onmessage = (message, extra) => {
    session.receive(message, sourceOf(extra))
  }
  wire.onclose = () => void session.close('the other end closed the connection')
  wire.onerror = (error) => options.onError?.(error)
  try {
    await wire.start()
  } catch (error) {
    await session.close('the wire did not start')
    throw error
  }
  return session
}

class WireSession extends MessageSession {
  readonly #wire: Wire

  constructor(wire: Wire, handler: MessageHandler, options: SessionOptions) {
    super(wire, handler, options)
    this.#wire = wire
  }

  override async close(reason?: string): Promise<void> {
    await super.close(reason)
    await this.#wire.close()
  }
}

function sourceOf(extra: MessageExtra | undefined): { relatedTo: string | number } | undefined {
  const relatedTo = extra?.relatedRequestId
  return relatedTo === undefined ? undefined : { relatedTo }
}
