import { createLineWire } from './line-wire.ts'
import type { SessionOptions } from './message-session.ts'
import { openSession } from './open-session.ts'
import type { MessageHandler, Session } from './session.ts'

export interface ServeStdioOptions extends SessionOptions {
  /** Told of each line on stdin that is no message. */
  onNoise?: ((line: string) => void) | undefined
}

/**
 * Serves a handler on this process's stdin and stdout. The session closes when stdin ends or the
 * reader goes away, without a word on stderr; whoever called decides what happens then. Nothing
 * else may write to stdout.
 */
export async function serveStdio(
  handler: MessageHandler,
  options: ServeStdioOptions = {},
): Promise<Session> {
  const wire = createLineWire(process.stdin, process.stdout, { onNoise: options.onNoise })
  return await openSession(wire, handler, { kind: 'client', ...options })
}
