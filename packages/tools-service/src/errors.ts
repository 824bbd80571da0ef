import { isObject, isProtocolError, ProtocolError } from '@mobius-mcp/protocol'

/** What a person reads of an error: its message, without its class. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A server that exists but cannot be used now. */
export function unavailable(server: string, reason: string, cause?: unknown): ProtocolError {
  return new ProtocolError('SERVER_UNAVAILABLE', `Server "${server}" is not available: ${reason}`, {
    cause,
    data: { server, reason },
  })
}

/** Why a server did not answer, to stand beside its name. */
export function absenceOf(error: unknown): string {
  if (isProtocolError(error) && error.code === 'SERVER_UNAVAILABLE' && isObject(error.data)) {
    return String(error.data.reason)
  }
  return reasonOf(error)
}

/** No such server here, or none that the caller may name. */
export function unknownServer(server: string): ProtocolError {
  return new ProtocolError('INVALID_PARAMS', `Unknown server: ${server}`)
}

/** A name that nobody has, as far as could be found out: `absent` are the servers that could not be asked, and why. */
export function unknownName(
  what: 'tool' | 'prompt',
  name: string,
  absent: ReadonlyMap<string, string>,
): ProtocolError {
  const servers = [...absent].map(([server, reason]) => `${server} (${reason})`).join(', ')
  const hint = servers === '' ? '' : `. Not asked, because they are not available: ${servers}`
  return new ProtocolError('INVALID_PARAMS', `Unknown ${what}: ${name}${hint}`)
}

/** A request that the server certainly never saw, because its session was gone: it may be sent again. */
export function wasNotExecuted(error: unknown): boolean {
  return isProtocolError(error) && error.code === 'SESSION_LOST'
}
