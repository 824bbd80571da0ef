/**
 * The one Call: from names to servers to connections that heal; lists, views, publishing.
 *
 * @packageDocumentation
 */

// Configuration
export type {
  Connect,
  ConnectEnvironment,
  ExternalServer,
  HookTraceOptions,
  Sharing,
  Sample,
  SamplingRequest,
  Snapshot,
  ToolsServiceOptions,
} from './options.ts'

// What each session sees
export type { View, ViewSource, ViewSubject } from './options.ts'
export type { Ref } from './refs.ts'
export { parseRef } from './refs.ts'
export { publicName } from './public-name.ts'

// What may go ahead
export type { Approval, ApprovalRequest, Approve, Authorize, Decision } from './options.ts'

// What goes on
export type { CallEvent, CallView, Observe } from './options.ts'
export type { RecentCalls } from './recent-calls.ts'
export type { ServerState } from './server-state.ts'
export type { ServerCondition } from './supervisor.ts'

// The service
export type { ToolsService } from './tools-service.ts'
export { createToolsService } from './service.ts'
