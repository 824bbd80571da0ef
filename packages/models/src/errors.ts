/** What may go wrong with a model, by its permanent name. */
export const modelErrors = {
  /** No model or alias of that name. */
  MODEL_UNKNOWN: 'Could not find the model',
  /** The dialect or model cannot do what was asked. */
  REQUEST_UNSUPPORTED: 'The model cannot take this request',
  /** The provider did not accept the request. */
  REQUEST_REFUSED: 'The provider refused the request',
  /** The conversation is longer than the model's context. */
  CONTEXT_TOO_LONG: 'The conversation is too long for the model',
  /** The key is missing, wrong or not allowed to do this. */
  NOT_AUTHORIZED: 'The provider did not accept the key',
  /** Too many requests or tokens. */
  RATE_LIMITED: 'The provider limits the rate of requests',
  /** The provider cannot be reached, or answers with a failure of its own. */
  UNAVAILABLE: 'The provider is not available',
  /** The stream ended before its end marker. */
  STREAM_INTERRUPTED: 'The answer broke off',
  /** The stream held what is not of its dialect. */
  STREAM_MALFORMED: 'The answer could not be read',
  /** Nothing came for too long. */
  TIMED_OUT: 'The provider did not go on',
  /** Whoever asked no longer wants the answer. */
  CANCELLED: 'The answer was cancelled',
} as const

/** A permanent name for what went wrong. */
export type ModelErrorCode = keyof typeof modelErrors

/** What is known about a failure. */
export interface ModelErrorDetails {
  /** `provider/model`. */
  readonly model?: string
  /** The HTTP status, where there was one. */
  readonly status?: number
  /** Milliseconds that the provider asks to wait. */
  readonly retryAfter?: number
  /** True where the same request may succeed later. */
  readonly retryable: boolean
  /** The provider's id of the request, for its support. */
  readonly requestId?: string
}

const marker = Symbol.for('@mobius-mcp/models.ModelError')

/**
 * A failure of a model. The message is made to be shown: keys are taken out of what the provider said, and there is no `cause`,
 * since the vendors' errors carry whole requests.
 */
export class ModelError extends Error {
  readonly code: ModelErrorCode
  readonly details: ModelErrorDetails

  constructor(
    code: ModelErrorCode,
    explanation: string,
    details: ModelErrorDetails = { retryable: false },
  ) {
    super(`${modelErrors[code]}${details.model ? ` (${details.model})` : ''}: ${explanation}`)
    this.name = 'ModelError'
    this.code = code
    this.details = details
    Object.defineProperty(this, marker, { value: true })
  }
}

/** True for a `ModelError` of this or another copy of the package. */
export function isModelError(error: unknown): error is ModelError {
  return error instanceof Error && marker in error
}
