import { type ErrorMessage, errorNumbers, type RequestId } from '@mobius-mcp/protocol'

/** A permanent name for a kind of refusal. */
export type RefusalCode =
  /** The `Host` header names none of ours: DNS rebinding, or a setting that is missing. */
  | 'HOST_REFUSED'
  /** A web page that may not talk to us. */
  | 'ORIGIN_REFUSED'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  /** Nothing is served at this path. */
  | 'NO_SUCH_ENDPOINT'
  | 'WRONG_METHOD'
  | 'NOT_ACCEPTABLE'
  | 'BODY_TOO_LARGE'
  | 'WRONG_CONTENT_TYPE'
  | 'PARSE_ERROR'
  | 'INVALID_REQUEST'
  | 'UNSUPPORTED_VERSION'
  | 'SESSION_REQUIRED'
  /** Unknown, ended, expired, or somebody else's. */
  | 'NO_SUCH_SESSION'
  /** Full, or going down. */
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR'

/**
 * Every way in which a request is refused before a handler sees it, with its HTTP status and its
 * JSON-RPC number: both are chosen here and nowhere else.
 */
const refusals: Readonly<Record<RefusalCode, { status: number; number: number }>> = {
  HOST_REFUSED: { status: 403, number: errorNumbers.DENIED },
  ORIGIN_REFUSED: { status: 403, number: errorNumbers.DENIED },
  UNAUTHENTICATED: { status: 401, number: errorNumbers.DENIED },
  FORBIDDEN: { status: 403, number: errorNumbers.DENIED },
  NO_SUCH_ENDPOINT: { status: 404, number: errorNumbers.INVALID_REQUEST },
  WRONG_METHOD: { status: 405, number: errorNumbers.INVALID_REQUEST },
  NOT_ACCEPTABLE: { status: 406, number: errorNumbers.INVALID_REQUEST },
  BODY_TOO_LARGE: { status: 413, number: errorNumbers.INVALID_REQUEST },
  WRONG_CONTENT_TYPE: { status: 415, number: errorNumbers.INVALID_REQUEST },
  PARSE_ERROR: { status: 400, number: errorNumbers.PARSE_ERROR },
  INVALID_REQUEST: { status: 400, number: errorNumbers.INVALID_REQUEST },
  UNSUPPORTED_VERSION: { status: 400, number: errorNumbers.UNSUPPORTED_PROTOCOL_VERSION },
  SESSION_REQUIRED: { status: 400, number: errorNumbers.INVALID_REQUEST },
  // The number is the one that both SDKs use.
  NO_SUCH_SESSION: { status: 404, number: -32001 },
  UNAVAILABLE: { status: 503, number: errorNumbers.SERVER_UNAVAILABLE },
  INTERNAL_ERROR: { status: 500, number: errorNumbers.INTERNAL_ERROR },
}

export interface RefusalOptions {
  /** The refused request's id, where it could be read. */
  readonly id?: RequestId | undefined
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The answer that refuses a request: an HTTP status, and a JSON-RPC error that says what to do. */
export function refuse(code: RefusalCode, message: string, options: RefusalOptions = {}): Response {
  const { status, number } = refusals[code]
  const { id, data, headers } = options
  const error = data === undefined ? { code: number, message } : { code: number, message, data }
  const body: ErrorMessage =
    id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

const retryLater = { 'retry-after': '5' }

/** The answer to what may work a little later. */
export function refuseForNow(why: string, id?: RequestId): Response {
  return refuse('UNAVAILABLE', `${why} Try again in a moment.`, { id, headers: retryLater })
}

/** The answer to a session for which there is no room. */
export function refuseFull(id?: RequestId): Response {
  return refuse(
    'UNAVAILABLE',
    'No session can be opened: the limit http.sessions.max is reached, and all of them are in use. Try again later, or have the limit raised.',
    { id, headers: retryLater },
  )
}

/** What a client sent, fit for a message: short, whatever it sent. */
export function quote(text: string | undefined): string {
  if (text === undefined) return 'nothing'
  return JSON.stringify(text.length <= 120 ? text : `${text.slice(0, 120)}…`)
}
