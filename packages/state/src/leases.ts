/** A process says that it lives: what it owns is nobody else's until then. */
export interface Lease {
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

/**
 * Who lives. Runs and sessions name their owner; only what an owner without a lease, or with an
 * expired one, holds may be taken over.
 */
export interface Leases {
  /** Takes or prolongs a lease. It never becomes shorter. */
  beat(owner: string, until: number): Promise<void>
  /** Gives it up at once, and with it all that the owner holds. */
  release(owner: string): Promise<void>
  find(owner: string): Promise<Lease | undefined>
  /** The owners whose leases hold. Removes what expired more than a day ago. */
  live(now: number): Promise<readonly Lease[]>
}

/** For how long an expired lease is kept: somebody may want to know who it was. */
export const leaseMemory: number = 24 * 3_600_000
