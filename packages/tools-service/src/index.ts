/**
 * The one Call: from names to servers to connections that heal; lists, views, publishing.
 *
 * @packageDocumentation
 */

// Configuration
// What goes on
export type {
  Approve,
  Authorize,
  CallEvent,
  CallView,
  Connect,
  ConnectEnvironment,
  Decision,
  ExternalServer,
  Observe,
  Sharing,
  Snapshot,
  ToolsServiceOptions,
  View,
} from './options.ts'
export { publicName } from './public-name.ts'
export type { RecentCalls } from './recent-calls.ts'
export type { Ref } from './refs.ts'
export { parseRef } from './refs.ts'
export type { ServerState } from './server-state.ts'
// The service
export type { ToolsService } from './service.ts'
export { createToolsService } from './service.ts'
export type { ServerCondition } from './supervisor.ts'
