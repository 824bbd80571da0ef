import { isProtocolError, type Message, parseMessage } from '@mobius-mcp/protocol'
import type { IncomingRequest } from './http-request.ts'
import { isJson } from './media-types.ts'
import { quote, refuse } from './refusals.ts'

/** Refuses a body that is not said to be JSON: a form that a web page posts unasked never is. */
export function refuseType(request: IncomingRequest): Response | undefined {
  const type = request.contentType
  if (type === 'application/json' || (type !== undefined && isJson(type))) return undefined
  return refuse(
    'WRONG_CONTENT_TYPE',
    `Expected a body of the type application/json, received ${quote(type)}. Send the header "Content-Type: application/json".`,
  )
}

/**
 * Reads a request's body. The limit holds while reading: not a byte more than it takes to exceed it
 * is kept.
 */
export function readBody(request: IncomingRequest, maxBytes: number): Promise<string | undefined> {
  const declared = request.contentLength
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

/** What was posted, as JSON-RPC, or why it is none; `undefined` for a body over the limit. */
export function toMessageOrRefusal(text: string | undefined, maxBytes: number): Message | Response {
  if (text === undefined) return refuseSize(maxBytes)
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

export function refuseBrokenBody(): Response {
  return refuse('INVALID_REQUEST', 'The connection broke before the whole body had arrived.')
}

function refuseSize(maxBytes: number): Response {
  return refuse(
    'BODY_TOO_LARGE',
    `The body is larger than ${maxBytes} bytes, the limit set by http.maxBodyBytes. Send less, or have the limit raised.`,
  )
}
