/**
 * Any MCP message handler, served over Streamable HTTP on any fetch runtime.
 *
 * @packageDocumentation
 */

// Who may come in
export type { Authenticate, Challenge } from './authenticate.ts'
export type { BearerKey } from './bearer-keys.ts'
export { bearerKeys } from './bearer-keys.ts'
export type { GuardOptions } from './guard.ts'
export type { HttpRequest } from './http-request.ts'
// The host
export type { EventLimits } from './event-log.ts'
export type { Check } from './health.ts'
export type { HttpHost, HttpHostOptions, SessionLimits } from './http-host.ts'
export { createHttpHost } from './http-host.ts'
export type { Route } from './legacy-edge.ts'
export type { SessionInfo } from './session-info.ts'
export type { OpenSessionStore, SessionStore } from './session-store.ts'
