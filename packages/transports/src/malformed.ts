import { errorNumbers, isProtocolError, type Message } from '@mobius-mcp/protocol'

/**
 * What to hand on in place of a message that is none: where it named a request, that request fails
 * at once instead of waiting for an answer that was already given. Our ids are never the other
 * end's, so a malformed request of theirs meets nobody.
 */
export function answerToMalformed(error: unknown): Message | undefined {
  if (!isProtocolError(error)) return undefined
  const id = (error.data as { id?: string | number } | undefined)?.id
  if (id === undefined) return undefined
  const message = `The server's answer is malformed. ${error.message}`
  return { jsonrpc: '2.0', id, error: { code: errorNumbers.INTERNAL_ERROR, message } }
}
