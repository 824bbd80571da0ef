/**
 * Language models behind one interface: what is asked, what happens while they answer, and how it ended.
 *
 * @packageDocumentation
 */

// Models
export type { Model } from './model.ts'
export type { Models, ModelsOptions } from './models.ts'
export { createModels } from './models.ts'
export type { Dialect, ProviderSettings } from './provider-settings.ts'
export type { Fetch } from './authorized-fetch.ts'
export type { RetryPolicy } from './retry.ts'
export { standardRetry } from './retry.ts'

// Requests
export type {
  AssistantMessage,
  AssistantPart,
  CacheHints,
  FilePart,
  ModelMessage,
  ModelRequest,
  ModelTool,
  OutputShape,
  ReasoningPart,
  Replay,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from './request.ts'
export { toModelContent } from './tool-content.ts'

// Events
export type {
  ErrorEvent,
  FinishEvent,
  FinishReason,
  ModelEvent,
  RetryEvent,
  Usage,
} from './events.ts'

// Prices
export type { Price, Prices } from './cost.ts'
export { costOf } from './cost.ts'

// The model of a client
export { createClientModel } from './client-model.ts'

// Without a model
export type { ConsoleOptions } from './console.ts'
export { createConsoleModel } from './console.ts'
export type { FindLocalServersOptions, LocalServer } from './local-servers.ts'
export { findLocalServers } from './local-servers.ts'

// Errors
export type { ModelErrorCode, ModelErrorDetails } from './errors.ts'
export { isModelError, ModelError, modelErrors } from './errors.ts'
