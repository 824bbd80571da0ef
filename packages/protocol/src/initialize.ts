import { ProtocolError } from './errors.ts'
import type { JsonObject } from './message.ts'
import type { MessageSession } from './message-session.ts'
import { peerFromResult } from './peer.ts'
import type { Peer, RequestOptions, Session } from './session.ts'

/** The revisions with a handshake, newest first. The first is what we offer. */
export const legacyVersions = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const

/** The newest revision with a handshake. */
export const latestLegacyVersion: string = legacyVersions[0]

/** The revision a server answers with: the client's own where we speak it, else our newest. */
export function negotiateVersion(offered: unknown): string {
  const known: readonly unknown[] = legacyVersions
  return typeof offered === 'string' && known.includes(offered) ? offered : latestLegacyVersion
}

export interface InitializeOptions extends RequestOptions {
  /** `clientInfo`: at least `name` and `version`. */
  info: JsonObject
  /** Exactly what may be asked of this client; `{}` for nothing. */
  capabilities: JsonObject
  /** What to offer; the newest by default. */
  protocolVersion?: string | undefined
}

/**
 * Makes the handshake of the legacy era: `initialize`, then `notifications/initialized`. From then
 * on `session.peer` is the server. MCP 2025-11-25, lifecycle.
 *
 * @throws ProtocolError `UNSUPPORTED_PROTOCOL_VERSION` when the server answers with a revision that
 * we do not speak, or whatever it answers as an error.
 */
export async function initialize(session: Session, options: InitializeOptions): Promise<Peer> {
  const { info, capabilities, protocolVersion = latestLegacyVersion, ...request } = options
  const params = { protocolVersion, capabilities, clientInfo: info }
  const result = await session.request('initialize', params, { ...request, relatedTo: undefined })
  const peer = peerFromResult(result)
  const known: readonly string[] = legacyVersions
  if (!known.includes(peer.protocolVersion)) {
    throw new ProtocolError(
      'UNSUPPORTED_PROTOCOL_VERSION',
      `The server speaks MCP revision ${peer.protocolVersion || '(none named)'}; supported here: ${known.join(', ')}`,
    )
  }
  ;(session as Adopting).adopt?.(peer)
  session.notify('notifications/initialized')
  return peer
}

/** Our own sessions take a peer; a session of somebody else's keeps its own record. */
type Adopting = Session & Partial<Pick<MessageSession, 'adopt'>>
