import type { JsonObject } from '@mobius-mcp/protocol'
import type { PrincipalName } from './principal-name.ts'

/** A client's session, so that it lives through a restart. */
export interface SessionRecord {
  /** What it is found by: a digest of the secret that its client shows, never the secret itself. */
  readonly key: string
  /** As handlers know it. */
  readonly id: string
  readonly principal: PrincipalName
  /** Where it was opened: `/mcp`, `/mcp/s/<server>`. */
  readonly path: string
  /** The revision that was agreed on. */
  readonly protocolVersion: string
  /** The client's initialize params: its capabilities, and what it calls itself. */
  readonly initialize: JsonObject
  /** What it wants to be told of, by URI. */
  readonly subscriptions: readonly string[]
  readonly logLevel?: string | undefined
  /** What handlers remember of it, by name. */
  readonly memory?: JsonObject | undefined
  /** The process that serves it; absent where it was let go. */
  readonly owner?: string | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly seenAt: number
}

/** What may change in a session. */
export type SessionChange = Partial<
  Pick<SessionRecord, 'subscriptions' | 'logLevel' | 'memory' | 'seenAt'>
>

/** What came of asking for a session. */
export type SessionClaim =
  | { readonly kind: 'claimed'; readonly session: SessionRecord; readonly resumed: boolean }
  /** The process that serves it lives, or did until then at least. */
  | { readonly kind: 'held'; readonly owner: string; readonly until: number }
  | { readonly kind: 'unknown' }

/** The sessions of clients. Each is served by one process, which holds a lease. */
export interface Sessions {
  /** Keeps a new session, owned by its owner. */
  save(session: SessionRecord): Promise<void>
  get(key: string): Promise<SessionRecord | undefined>
  /** Takes one that is nobody's, or whose owner's lease has expired. One's own is claimed at once. */
  claim(key: string, owner: string, now: number): Promise<SessionClaim>
  /** Resolves with whether it was changed: not where it is somebody else's now, or is gone. */
  update(key: string, owner: string, change: SessionChange): Promise<boolean>
  /** Notes that these were seen, at once; those that are somebody else's now are left as they are. */
  touch(keys: readonly string[], owner: string, seenAt: number): Promise<void>
  delete(key: string): Promise<void>
  /** Removes those not seen since, unless their owner lives. Resolves with their keys. */
  expire(before: number, now: number): Promise<readonly string[]>
}
