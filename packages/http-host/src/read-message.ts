import { isProtocolError, type Message, parseMessage } from '@mobius-mcp/protocol'
import type { IncomingRequest } from './http-request.ts'
import { isJson } from './media-types.ts'
import { quote, refuse } from './refusals.ts'

/**
 * Reads a request's body as JSON-RPC, or refuses it. The limit holds while reading: not a byte more
 * than it takes to exceed it is kept.
 */
export function readMessage(
  request: IncomingRequest,
  maxBytes: number,
): Promise<Message | Response> | Response {
  const type = request.header('content-type')
  // A form that a web page posts without asking first never has this type.
  if (type !== 'application/json' && !(type !== undefined && isJson(type))) {
    return refuse(
      'WRONG_CONTENT_TYPE',
      `Expected a body of the type application/json, received ${quote(type)}. Send the header "Content-Type: application/json".`,
    )
  }
  return readText(request, maxBytes).then(
    (text) => (text === undefined ? refuseSize(maxBytes) : toMessageOrRefusal(text)),
    () => refuse('INVALID_REQUEST', 'The connection broke before the whole body had arrived.'),
  )
}

/** The body as text; `undefined` when it is too large. */
function readText(request: IncomingRequest, maxBytes: number): Promise<string | undefined> {
  const declared = request.header('content-length')
  if (declared === undefined) return readCounted(request.raw, maxBytes)
  if (Number(declared) <= maxBytes) return request.raw.text()
  return Promise.resolve(undefined)
}

async function readCounted(request: Request, maxBytes: number): Promise<string | undefined> {
  if (!request.body) return ''
  const decoder = new TextDecoder()
  const reader = request.body.getReader()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > maxBytes) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

function toMessageOrRefusal(text: string): Message | Response {
  try {
    return parseMessage(text)
  } catch (error) {
    if (!isProtocolError(error)) throw error
    if (error.code === 'PARSE_ERROR') return refuse('PARSE_ERROR', error.message)
    if (/^\s*\[/.test(text)) return refuseBatch()
    // `parseMessage` puts the id there, where it could read one.
    const { id } = (error.data ?? {}) as { id?: string | number }
    return refuse('INVALID_REQUEST', error.message, { id })
  }
}

function refuseBatch(): Response {
  return refuse(
    'INVALID_REQUEST',
    'Expected one JSON-RPC message, received a batch. MCP removed batches in revision 2025-06-18: send each message in a POST of its own.',
  )
}

function refuseSize(maxBytes: number): Response {
  return refuse(
    'BODY_TOO_LARGE',
    `The body is larger than ${maxBytes} bytes, the limit set by http.maxBodyBytes. Send less, or have the limit raised.`,
  )
}
