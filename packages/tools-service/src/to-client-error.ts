import {
  type AuthNeededError,
  checkClientCapability,
  type Origin,
  ProtocolError,
  type Session,
} from '@mobius-mcp/protocol'

/** Who is told, and for what: a call, or what a client asked before it became one. */
export interface Asked {
  readonly root: Session
  readonly origin: Origin
  readonly depth: number
}

/**
 * What a client is told where somebody has to sign in: that it is to show the URL, if it can, else
 * the URL among the words, since few show more of an error. MCP 2025-11-25, URL elicitation.
 */
export function toClientError(
  { root, origin, depth }: Asked,
  error: AuthNeededError,
): ProtocolError {
  // What agents, hooks and their like call is answered to them, who have nobody to show it to.
  if (root.kind !== 'client' || origin.kind !== 'client' || depth > 0) return error
  const { message, data } = error
  const { id: elicitationId, url, done } = error.login
  if (url === undefined) return error
  if (!canShowUrls(root)) {
    return new ProtocolError('AUTH_NEEDED', `${message}. Sign in at ${url}`, { data, cause: error })
  }
  const tell = () => root.notify('notifications/elicitation/complete', { elicitationId })
  done.then(
    (signedIn) => signedIn && !root.ending.cancelled && tell(),
    () => {},
  )
  return new ProtocolError('URL_ELICITATION_REQUIRED', message, {
    data: { elicitations: [{ mode: 'url', elicitationId, url, message }] },
    cause: error,
  })
}

function canShowUrls(root: Session): boolean {
  try {
    checkClientCapability('elicitation/create', { mode: 'url' }, root.peer)
    return true
  } catch {
    return false
  }
}
