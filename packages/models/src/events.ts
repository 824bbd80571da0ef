import type { ModelError } from './errors.ts'
import type { AssistantMessage, FilePart, ToolCallPart } from './request.ts'

/**
 * What happens while a model answers. A stream ends with exactly one `finish` or `error`, and nothing after it; what comes before
 * is for showing: all of it stands in the last event's message once more.
 */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly id: string; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly id: string; readonly text: string }
  | { readonly type: 'tool-call-start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call-delta'; readonly id: string; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCallPart }
  | { readonly type: 'file'; readonly file: FilePart }
  | { readonly type: 'warning'; readonly message: string }
  | RetryEvent
  | FinishEvent
  | ErrorEvent

/** The attempt failed before anything was shown; another follows after `delay` milliseconds. */
export interface RetryEvent {
  readonly type: 'retry'
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number
  readonly delay: number
  readonly error: ModelError
}

/** The model answered to its end. */
export interface FinishEvent {
  readonly type: 'finish'
  readonly reason: FinishReason
  /** All that was said, to be put into the next request as it is. */
  readonly message: AssistantMessage
  readonly usage: Usage
  /** In the currency of the price table; absent where price or usage is not known. */
  readonly cost?: number
  /** The JSON that `output` asked for. Absent where what came is no JSON, or was cut off. */
  readonly output?: unknown
}

/** The answer failed, was cancelled or broke off. */
export interface ErrorEvent {
  readonly type: 'error'
  readonly error: ModelError
  /** What had come until then. Its calls must not be made. */
  readonly message: AssistantMessage
  /** Where the provider had said so before it failed. */
  readonly usage?: Usage
  /** What was spent, where usage and price are known. */
  readonly cost?: number
}

/** Why a model ended: of itself, at a limit, to have tools called, refused by a filter, or for a reason of its vendor's own. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other'

/** Tokens, where the provider counts them. */
export interface Usage {
  /** All of the request, with what came from and went into a cache. */
  readonly inputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  /** All of the answer, with the reasoning. */
  readonly outputTokens?: number
  readonly reasoningTokens?: number
}
