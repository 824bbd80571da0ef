import type { Clock, Timeouts } from '@mobius-mcp/protocol'
import type { EventLimits } from './event-log.ts'
import type { StreamSettings } from './event-stream.ts'
import type { IdleList, Idler } from './idle-list.ts'
import type { SessionKeeper } from './session-keeper.ts'
import type { SessionTable } from './session-table.ts'
import type { Traffic } from './traffic.ts'

/** What all sessions of a host share. */
export interface HostSettings extends StreamSettings {
  readonly clock: Clock
  /** `undefined`: nothing is kept for replay, and events have no ids. */
  readonly events: EventLimits | undefined
  /** What is forgotten when it was not heard of for `events.maxAge`. */
  readonly ages: IdleList<Idler>
  readonly sessions: SessionTable
  /** Writes what lives through a restart; `undefined` where nothing does. */
  readonly keeper: SessionKeeper | undefined
  readonly traffic: Traffic
  readonly timeouts: Partial<Timeouts> | undefined
  readonly onError: (error: Error) => void
}
