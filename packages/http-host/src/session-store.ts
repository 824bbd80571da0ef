import type { Events, Sessions } from '@mobius-mcp/state'

/** Where clients' sessions are kept, so that they live through a restart. */
export interface SessionStore {
  readonly sessions: Sessions
  /** What was said on their streams while nobody was connected. */
  readonly events: Events
  /** This process, by the name under which it holds a lease. */
  readonly owner: string
}

/** Opens a store when a session is first to be kept, or looked for. */
export type OpenSessionStore = () => Promise<SessionStore>

/** What a session is found by in a store: the id that its client shows is a secret. */
export async function digestOf(sessionId: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(sessionId))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
