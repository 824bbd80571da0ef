import { type ErrorCode, ProtocolError } from '@mobius-mcp/protocol'

/** What is known about a failure beside its text. */
export interface TransportErrorOptions {
  readonly status?: number | undefined
  readonly challenge?: string | undefined
  readonly cause?: unknown
}

/**
 * A message that did not get through. Its `code` says what that means for the message:
 * `SERVER_UNAVAILABLE` (not reached, not started or refused), `SESSION_LOST` (certainly not carried
 * out: send it again in a new session), `CONNECTION_CLOSED` (nobody knows).
 */
export class TransportError extends ProtocolError {
  /** The HTTP status, where there was one. */
  readonly status: number | undefined
  /** The `WWW-Authenticate` header that came with a 401 or 403. */
  readonly challenge: string | undefined

  constructor(code: ErrorCode, message: string, options: TransportErrorOptions = {}) {
    super(code, message, { cause: options.cause })
    this.status = options.status
    this.challenge = options.challenge
  }
}
