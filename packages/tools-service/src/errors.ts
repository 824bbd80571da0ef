import { isProtocolError, ProtocolError } from '@mobius-mcp/protocol'
import type { Server } from './server.ts'

/** What a person reads of an error: its message, without its class. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A server that exists but cannot be used now. */
export function unavailable(server: string, reason: string, cause?: unknown): ProtocolError {
  return new ProtocolError('SERVER_UNAVAILABLE', `Server "${server}" is not available: ${reason}`, {
    cause,
  })
}

/** No such server here, or none that the caller may name. */
export function unknownServer(server: string): ProtocolError {
  return new ProtocolError('INVALID_PARAMS', `Unknown server: ${server}`)
}

/** A request that the server certainly never saw, because its session was gone: it may be sent again. */
export function wasNotExecuted(error: unknown): boolean {
  return isProtocolError(error) && error.code === 'SESSION_LOST'
}

export function disabledServer(server: Server): ProtocolError {
  return unavailable(server.name, 'it is disabled in the configuration')
}
