/**
 * What the tests of this repository share. Never shipped.
 *
 * @packageDocumentation
 */

// Places and programs
export { findFreePort } from './free-port.ts'
export type { NodeCommand, NodeProgram } from './node-program.ts'
export { nodeCommand, openNodeProgram } from './node-program.ts'
export type { TemporaryFolder } from './temporary-folder.ts'
export { openTemporaryFolder } from './temporary-folder.ts'
// Time
export type { TestClock } from './test-clock.ts'
export { createTestClock } from './test-clock.ts'
// One test for every transport
export type { Connect, Connection, ConnectOptions, TransportName } from './transports/connection.ts'
export { transportNames } from './transports/connection.ts'
export { describeTransports } from './transports/describe-transports.ts'
