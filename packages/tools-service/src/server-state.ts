import type { ListKind } from '@mobius-mcp/protocol'
import type { Sharing } from './options.ts'
import type { ServerCondition } from './supervisor.ts'

/** What goes on with one server. A failed server is a state with a reason, never a gap in a list. */
export interface ServerState {
  readonly name: string
  readonly kind: 'built-in' | 'external'
  readonly state: ServerCondition
  /** Why it is not ready. */
  readonly reason?: string | undefined
  /** When the state last changed: milliseconds since the epoch. */
  readonly since: number
  readonly sharing: Sharing
  /** Open connections. */
  readonly connections: number
  /** Calls that wait for its answer. */
  readonly inFlight: number
  /** How often it was started again. */
  readonly restarts: number
  /** Calls since the gateway started, and how many of them were errors. */
  readonly calls: number
  readonly errors: number
  /** How much it offers, where that is known. */
  readonly offers: Readonly<Partial<Record<ListKind, number>>>
}
