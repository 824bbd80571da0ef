import type { Clock } from '@mobius-mcp/protocol'
import type { State } from '@mobius-mcp/state'

/** A state of some kind, which ends with the test. */
export interface Place extends AsyncDisposable {
  readonly state: State
}

/** Opens a state in which nothing is kept yet. */
export type OpenPlace = (clock: Clock) => Promise<Place>
