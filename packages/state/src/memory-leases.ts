import { type Lease, type Leases, leaseMemory } from './leases.ts'

/** Leases that other parts kept in memory can look at without waiting. */
export interface MemoryLeases extends Leases {
  isLive(owner: string, now: number): boolean
  peek(owner: string): Lease | undefined
}

/** Makes leases that are forgotten with the process. */
export function createMemoryLeases(): MemoryLeases {
  const leases = new Map<string, Lease>()
  return {
    async beat(owner, until) {
      const known = leases.get(owner)?.until ?? until
      leases.set(owner, { owner, until: Math.max(known, until) })
    },
    async release(owner) {
      leases.delete(owner)
    },
    async find(owner) {
      return leases.get(owner)
    },
    async live(now) {
      for (const [owner, { until }] of leases) if (until + leaseMemory <= now) leases.delete(owner)
      return [...leases.values()].filter(({ until }) => until > now)
    },
    isLive: (owner, now) => (leases.get(owner)?.until ?? now) > now,
    peek: (owner) => leases.get(owner),
  }
}
