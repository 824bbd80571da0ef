import type { ErrorObject } from './message.ts'

/**
 * The JSON-RPC numbers behind our error codes.
 * Sources: JSON-RPC 2.0 section 5.1; MCP 2025-11-25; MCP 2026-07-28 for -32020 to -32022.
 */
export const errorNumbers = {
  /** The text was not JSON. */
  PARSE_ERROR: -32700,
  /** It was JSON, but no message. */
  INVALID_REQUEST: -32600,
  /** Nobody here answers this method. */
  METHOD_NOT_FOUND: -32601,
  /** The parameters are not what the method takes: also unknown tool, prompt, cursor. */
  INVALID_PARAMS: -32602,
  /** The fault is ours. */
  INTERNAL_ERROR: -32603,
  /** The other end went away before it answered. */
  CONNECTION_CLOSED: -32000,
  /** The answer did not come in time. */
  REQUEST_TIMEOUT: -32001,
  /** No such resource, as legacy revisions say it. */
  RESOURCE_NOT_FOUND: -32002,
  /** The caller took the request back. Never sent: who cancels gets no answer. */
  REQUEST_CANCELLED: -32003,
  /** A rule, a hook or a person said no. */
  DENIED: -32004,
  /** The server exists, but cannot be reached or does not start. */
  SERVER_UNAVAILABLE: -32005,
  /** The chain of calls is too deep, or leads back to where it began. */
  CALL_LOOP: -32006,
  /** The server has forgotten the session, and so did not act on the request: it may be sent again in a new one. */
  SESSION_LOST: -32007,
  /** The server wants to know who calls: somebody has to sign in first. */
  AUTH_NEEDED: -32008,
  /** The person has to visit a URL first. */
  URL_ELICITATION_REQUIRED: -32042,
  /** A header contradicts the body. */
  HEADER_MISMATCH: -32020,
  /** The client did not declare a capability that the request needs. */
  MISSING_CLIENT_CAPABILITY: -32021,
  /** The revision is not spoken here. */
  UNSUPPORTED_PROTOCOL_VERSION: -32022,
} as const

/** A permanent name for a kind of failure. */
export type ErrorCode = keyof typeof errorNumbers

/** What may accompany an error. `data` travels to the other end: never a secret. */
export interface ProtocolErrorOptions {
  data?: unknown
  cause?: unknown
}

/** A failure that may be told to the other end of a conversation as it is. */
export class ProtocolError extends Error {
  /** The kind of failure; `REMOTE` for one that the other end reported in its own numbers. */
  readonly code: ErrorCode | 'REMOTE'
  /** The JSON-RPC number. */
  readonly number: number
  readonly data: unknown

  constructor(code: ErrorCode | ErrorObject, message?: string, options: ProtocolErrorOptions = {}) {
    const remote = typeof code === 'object'
    super(remote ? code.message : (message ?? code), { cause: options.cause })
    this.name = 'ProtocolError'
    this.code = remote ? 'REMOTE' : code
    this.number = remote ? code.code : errorNumbers[code]
    this.data = remote ? code.data : options.data
  }
}

/** True for a `ProtocolError` of this or another copy of the package. */
export function isProtocolError(error: unknown): error is ProtocolError {
  return (
    error instanceof Error &&
    error.name === 'ProtocolError' &&
    typeof (error as Partial<ProtocolError>).number === 'number'
  )
}

/**
 * The error object for an answer. What is not a `ProtocolError` was not meant for the other end:
 * it becomes an internal error without details.
 */
export function toErrorObject(error: unknown): ErrorObject {
  if (!isProtocolError(error)) {
    return { code: errorNumbers.INTERNAL_ERROR, message: 'Internal error' }
  }
  const { number: code, message, data } = error
  return data === undefined ? { code, message } : { code, message, data }
}
