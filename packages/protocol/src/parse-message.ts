import { ProtocolError } from './errors.ts'
import type { JsonObject, Message, RequestId } from './message.ts'

/**
 * Reads one message from its JSON text.
 *
 * Only the envelope is checked: `params`, `result` and `error.data` pass untouched, unknown
 * members included. A `__proto__` member stays an ordinary member of its object.
 *
 * @throws ProtocolError `PARSE_ERROR` when the text is not JSON, `INVALID_REQUEST` when it is no
 * message; its `data.id` holds the id where one could be read.
 */
export function parseMessage(text: string): Message {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ProtocolError('PARSE_ERROR', `Parse error: the text is not JSON (${excerpt(text)})`, {
      cause,
    })
  }
  return toMessage(value)
}

/**
 * Checks that a parsed value is a message, and returns it, the same object.
 *
 * @throws ProtocolError `INVALID_REQUEST`, saying which member is wrong.
 */
export function toMessage(value: unknown): Message {
  if (!isObject(value)) throw invalid('expected a JSON object', value)
  if (value.jsonrpc !== '2.0') throw invalid('"jsonrpc" must be "2.0"', value)
  const { method, id } = value
  if (method !== undefined) {
    if (typeof method !== 'string') throw invalid('"method" must be a string', value)
    if (id !== undefined && !isRequestId(id)) throw invalid(idRule, value)
    const { params } = value
    if (params !== undefined && !isObject(params))
      throw invalid('"params" must be an object', value)
    return value as unknown as Message
  }
  checkResponse(value)
  return value as unknown as Message
}

/** True for what may be a JSON-RPC id in MCP: a string or an integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** True for a JSON object: neither `null` nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const idRule = '"id" must be a string or an integer'

function checkResponse(value: JsonObject): void {
  const { id, result, error } = value
  if ('result' in value) {
    if ('error' in value) throw invalid('a response holds "result" or "error", not both', value)
    if (!isRequestId(id)) throw invalid(idRule, value)
    if (!isObject(result)) throw invalid('"result" must be an object', value)
    return
  }
  if (!isObject(error)) throw invalid('expected "method", "result" or "error"', value)
  // Some peers answer an unreadable request with `id: null`, as JSON-RPC has it.
  if (id !== undefined && id !== null && !isRequestId(id)) throw invalid(idRule, value)
  if (typeof error.code !== 'number' || typeof error.message !== 'string') {
    throw invalid('"error" must hold a number "code" and a string "message"', value)
  }
}

function invalid(rule: string, value: unknown): ProtocolError {
  const id = isObject(value) && isRequestId(value.id) ? value.id : undefined
  return new ProtocolError(
    'INVALID_REQUEST',
    `Invalid request: ${rule}; received ${excerpt(JSON.stringify(value) ?? String(value))}`,
    id === undefined ? {} : { data: { id } },
  )
}

/** At most 120 characters: enough to recognise, too little to flood a log. */
function excerpt(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`
}
