/**
 * Ways to reach an MCP server that lives elsewhere: one attempt, one wire.
 *
 * @packageDocumentation
 */

// Reaching a server
export type { ServerOptions } from './connect.ts'
export { connect } from './connect.ts'
// What a connection needs, and says
export type { ConnectEnvironment, FetchLike, Graces, LogLine } from './environment.ts'
export type { TransportErrorOptions } from './errors.ts'
export { TransportError } from './errors.ts'
export type { FetchLayer, HttpOptions } from './http-options.ts'
export type { StdioOptions, StdioWire } from './stdio.ts'
export { createStdioWire } from './stdio.ts'
