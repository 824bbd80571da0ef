/**
 * Structured logs. A subpath of its own, so that whoever only counts or records calls does not load
 * what writes them.
 *
 * @packageDocumentation
 */

export type {
  AdjustableLogger,
  LogDestination,
  LogFields,
  Logger,
  LoggerOptions,
  LogLevel,
  LogSettings,
} from './log/create-logger.ts'
export { createLogger } from './log/create-logger.ts'
export { logCalls } from './log/log-calls.ts'
export { redactFields } from './log/redact.ts'
