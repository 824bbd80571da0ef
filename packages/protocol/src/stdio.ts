/**
 * MCP over a pair of byte streams: one message a line. For servers that run as a program of their own.
 *
 * @packageDocumentation
 */

export type { LineWireOptions } from './line-wire.ts'
export { createLineWire } from './line-wire.ts'
export type { ServeStdioOptions } from './serve-stdio.ts'
export { serveStdio } from './serve-stdio.ts'
