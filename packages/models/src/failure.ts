import {
  AISDKError,
  APICallError,
  InvalidResponseDataError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { isModelError, ModelError, type ModelErrorCode, type ModelErrorDetails } from './errors.ts'
import { readRefusal } from './refusal.ts'

/** What is needed to say what went wrong, and what must not be said. */
export interface FailureContext {
  readonly model: string
  readonly secrets: readonly string[]
  readonly now: () => number
}

/** A `ModelError` of whatever a vendor's package threw or sent. It never holds the request, the address or a key. */
export function toModelError(error: unknown, context: FailureContext): ModelError {
  if (isModelError(error)) return error
  const { model } = context
  if (APICallError.isInstance(error)) return fromApi(error, context)
  if (UnsupportedFunctionalityError.isInstance(error)) {
    return new ModelError('REQUEST_UNSUPPORTED', clean(error.message, context), {
      model,
      retryable: false,
    })
  }
  if (InvalidResponseDataError.isInstance(error) && /without a finish reason/.test(error.message)) {
    return interrupted(model)
  }
  const sent = asSent(error)
  if (sent) return fromStatus(sent.message, { model, ...sent }, context)
  if (AISDKError.isInstance(error)) {
    const explanation = `It is not what its dialect says: ${clean(error.message, context)}`
    return new ModelError('STREAM_MALFORMED', explanation, { model, retryable: true })
  }
  const said = error instanceof Error ? error.message : String(error)
  return new ModelError('STREAM_INTERRUPTED', clean(said, context), { model, retryable: true })
}

/** What it means that a stream ended, but no answer did. */
export function interrupted(model: string): ModelError {
  const explanation =
    'The stream ended without the mark that its dialect ends an answer with. What came until then may be cut off.'
  return new ModelError('STREAM_INTERRUPTED', explanation, { model, retryable: true })
}

/** Takes secrets out of a text that is to be shown, and its length down. */
function clean(text: string, { secrets }: Pick<FailureContext, 'secrets'>): string {
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  return hidden.length > 500 ? `${hidden.slice(0, 500)}…` : hidden
}

function fromApi(error: APICallError, context: FailureContext): ModelError {
  const headers = error.responseHeaders ?? {}
  const refusal = readRefusal(toJson(error.responseBody))
  const retryAfter = readRetryAfter(headers, context.now()) ?? refusal.retryAfter
  const requestId = headers['x-request-id'] ?? headers['request-id']
  const details = {
    model: context.model,
    retryable: error.isRetryable && !refusal.spent,
    ...(error.statusCode === undefined ? {} : { status: error.statusCode }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(requestId === undefined ? {} : { requestId }),
  }
  if (error.statusCode !== undefined && error.statusCode < 300) {
    const explanation = clean(error.message, context)
    return new ModelError('STREAM_MALFORMED', explanation, { ...details, retryable: true })
  }
  return fromStatus(error.message || (error.responseBody ?? ''), details, context)
}

function fromStatus(
  message: string,
  details: ModelErrorDetails,
  context: FailureContext,
): ModelError {
  const { status } = details
  const code = toCode(status, message)
  const said = clean(message, context) || 'It gave no reason.'
  const explanation = status === undefined ? said : `It answered ${status}. ${said}`
  return new ModelError(code, explanation, details)
}

function toCode(status: number | undefined, message: string): ModelErrorCode {
  if (status === 413 || isTooLong(message)) return 'CONTEXT_TOO_LONG'
  if (status === 401 || status === 403) return 'NOT_AUTHORIZED'
  if (status === 429) return 'RATE_LIMITED'
  if (status === undefined || status === 408 || status >= 500) return 'UNAVAILABLE'
  return 'REQUEST_REFUSED'
}

/** As OpenAI, Anthropic, Google and llama.cpp put it. */
function isTooLong(message: string): boolean {
  return /maximum context length|context_length_exceeded|context window|prompt is too long|input token count.*exceeds|exceeds the available context/i.test(
    message,
  )
}

/** An error that came inside the stream: the vendors' packages give an object with a message, some with a status. */
function asSent(
  error: unknown,
): { message: string; status?: number; retryable: boolean } | undefined {
  if (typeof error === 'string') return { message: error, retryable: false }
  if (typeof error !== 'object' || error === null || AISDKError.isInstance(error)) return undefined
  const { message, statusCode, code, isRetryable, data } = error as Record<string, unknown>
  if (error instanceof Error && statusCode === undefined && isRetryable === undefined)
    return undefined
  const status = [statusCode, code].find((value): value is number => typeof value === 'number')
  const { spent, blamed } = readRefusal(data ?? error)
  // The request had been accepted by then, so it is the answering that failed, unless somebody says otherwise.
  const failed = status === undefined ? !blamed : status === 429 || status >= 500
  return {
    message: typeof message === 'string' ? message : JSON.stringify(error),
    retryable: (typeof isRetryable === 'boolean' ? isRetryable : failed) && !spent,
    ...(status === undefined ? {} : { status }),
  }
}

function toJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** `retry-after-ms` of OpenAI and Anthropic, or `retry-after` in seconds or as a date (RFC 9110, 10.2.3). */
function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] || Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const value = headers['retry-after']
  if (!value) return undefined
  const seconds = Number(value)
  if (seconds >= 0) return seconds * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
