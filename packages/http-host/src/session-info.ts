import type { JsonObject, Principal } from '@mobius-mcp/protocol'
import type { SessionTable } from './session-table.ts'

/** What may be told of a session. Its `Mcp-Session-Id` may not: it is a secret of its client. */
export interface SessionInfo {
  /** As handlers know it: `context.session.id`. */
  readonly id: string
  readonly path: string
  readonly principal: Principal
  /** `clientInfo`: what the client calls itself. */
  readonly client: JsonObject
  readonly protocolVersion: string
  /** When it began: milliseconds since the epoch. */
  readonly since: number
  /** How many of its requests are being answered. */
  readonly inFlight: number
}

export function listSessions(sessions: SessionTable): SessionInfo[] {
  return Array.from(sessions, ({ session, path, principal, since }) => ({
    id: session.id,
    path,
    principal,
    client: session.peer?.info ?? {},
    protocolVersion: session.peer?.protocolVersion ?? '',
    since,
    inFlight: session.answering,
  }))
}
