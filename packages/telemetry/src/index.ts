/**
 * What watches calls: metrics, and the record of all calls. Logs stand in `/log`.
 *
 * @packageDocumentation
 */

// What is watched
export type { CallEvent, HookReport } from './call-event.ts'
export { isCallEvent } from './call-event.ts'

// Metrics
export type { Metrics, MetricsOptions, ServerGauge } from './metrics/create-metrics.ts'
export { createMetrics } from './metrics/create-metrics.ts'

// The record of calls
export type { CallLog, CallLogOptions } from './calls/call-log.ts'
export { openCallLog } from './calls/call-log.ts'
export type { CallRecord, Gap, GapReason } from './calls/call-record.ts'
export type { ReadCallsOptions } from './calls/read-calls.ts'
export { readCalls } from './calls/read-calls.ts'
export type { CallLogProblem, CallLogProblemCode } from './errors.ts'
export { callLogProblems } from './errors.ts'

// Showing it
export type { CallTrees, CallTreesOptions } from './calls/call-trees.ts'
export { createCallTrees } from './calls/call-trees.ts'
export { formatCall, formatCallTree, formatGap } from './calls/format-call-tree.ts'
export { redactText } from './redact-text.ts'
export { escapeLine, showLines, showText } from './show-text.ts'
