import { createLineWire } from './line-wire.ts'
import type { SessionOptions } from './message-session.ts'
import { openSession } from './open-session.ts'
import type { MessageHandler, Session } from './session.ts'

export interface ServeStdioOptions extends SessionOptions {
  /** Told of each line on stdin that is no message. */
  onNoise?: ((line: string) => void) | undefined
}

/** Milliseconds that are left for answers when stdin has ended. */
const lastAnswers = 2000

/**
 * Serves a handler on this process's stdin and stdout. The session closes when stdin has ended
 * and what was asked is answered, or 2 s have passed, or the reader goes away, without a word on stderr; whoever called decides what happens then. Nothing
 * else may write to stdout.
 */
export async function serveStdio(
  handler: MessageHandler,
  options: ServeStdioOptions = {},
): Promise<Session> {
  const wire = createLineWire(process.stdin, process.stdout, {
    onNoise: options.onNoise,
    patience: lastAnswers,
    clock: options.clock,
  })
  return await openSession(wire, handler, { kind: 'client', ...options })
}
