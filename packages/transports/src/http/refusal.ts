import { isObject, type Message, type RequestId, toMessage } from '@mobius-mcp/protocol'
import { readExcerpt } from '@mobius-mcp/sandbox/read-excerpt'
import { TransportError } from '../errors.ts'
import { toPlainBody } from '../plain-text.ts'

/** An HTTP answer that says no. */
export interface Refusal {
  readonly status: number
  readonly body: string
  readonly challenge: string | undefined
}

/** Reads a refusal, and gives back an answer like it whose body can be read once more. */
export async function takeRefusal(response: Response): Promise<[Refusal, Response]> {
  const { status, statusText, headers } = response
  const body = await readExcerpt(response.body)
  const refusal = { status, body, challenge: headers.get('www-authenticate') ?? undefined }
  return [refusal, new Response(body, { status, statusText, headers })]
}

/** The JSON-RPC error that answers this very request, where the body is one. */
export function answerIn(refusal: Refusal, id: RequestId): Message | undefined {
  const value = parseBody(refusal)
  if (!isObject(value) || value.id !== id || !('error' in value)) return undefined
  try {
    return toMessage(value)
  } catch {
    return undefined
  }
}

/**
 * True when the server says that it does not know the session: in so many words, with 404 or, as
 * the SDK's examples have it, 400; or with a 404 that answers nothing else.
 */
export function isSessionLoss(refusal: Refusal, id?: RequestId): boolean {
  const { status } = refusal
  if (status !== 404 && status !== 400) return false
  if (unknownSession.test(toText(refusal))) return true
  return status === 404 && (id === undefined || answerIn(refusal, id) === undefined)
}

const unknownSession =
  /(no valid|invalid|unknown|expired|could not find|no such) session|session\b.*\b(not found|expired|invalid|unknown|does not exist)/i

/** The refusal as an error. `redact` takes out what the server repeats of our headers. */
export function toRefusalError(
  where: string,
  refusal: Refusal,
  redact: (text: string) => string,
): TransportError {
  const { status, challenge } = refusal
  const text = toPlainBody(redact(toText(refusal)), 200)
  const advice = advices[status]
  const message = [`${where} answered HTTP ${status}`, text, advice].filter(Boolean).join(': ')
  return new TransportError('SERVER_UNAVAILABLE', message, { status, challenge })
}

const advices: Readonly<Record<number, string>> = {
  401: 'it wants to know who calls; configure a header or sign in',
  403: 'what it was given does not suffice',
  404: 'check the URL',
  405: 'nothing speaks MCP there; check the URL',
}

function toText(refusal: Refusal): string {
  const value = parseBody(refusal)
  const error = isObject(value) ? value.error : undefined
  if (isObject(error) && typeof error.message === 'string') return error.message
  return refusal.body
}

function parseBody(refusal: Refusal): unknown {
  try {
    return JSON.parse(refusal.body)
  } catch {
    return undefined
  }
}

/** What a failed `fetch` says, down to its cause. */
export function toNetworkProblem(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException
  const text = message || String(error)
  return code === undefined || text.includes(code) ? text : `${code}: ${text}`
}
