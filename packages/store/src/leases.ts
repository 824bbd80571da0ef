import { type Leases, leaseMemory } from '@mobius-mcp/state'
import { eq, gt, lte, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { leases } from './schema.ts'

/** What other parts ask within their own transactions. */
export interface StoredLeases extends Leases {
  /** Until when a lease holds, where it holds. */
  heldUntil(owner: string | null, now: number): number | undefined
}

export function createStoredLeases({ statements }: Database): StoredLeases {
  const { placeholder } = sql
  const find = statements
    .select()
    .from(leases)
    .where(eq(leases.owner, placeholder('owner')))
    .prepare()
  const beat = statements
    .insert(leases)
    .values({ owner: placeholder('owner'), until: placeholder('until') })
    .onConflictDoUpdate({
      target: leases.owner,
      set: { until: sql`max(${leases.until}, excluded.until_at)` },
    })
    .prepare()
  const release = statements
    .delete(leases)
    .where(eq(leases.owner, placeholder('owner')))
    .prepare()
  const live = statements
    .select()
    .from(leases)
    .where(gt(leases.until, placeholder('now')))
    .prepare()
  const forget = statements
    .delete(leases)
    .where(lte(leases.until, placeholder('before')))
    .prepare()
  return {
    async beat(owner, until) {
      beat.run({ owner, until })
    },
    async release(owner) {
      release.run({ owner })
    },
    async find(owner) {
      return find.get({ owner })
    },
    async live(now) {
      forget.run({ before: now - leaseMemory })
      return live.all({ now })
    },
    heldUntil(owner, now) {
      const until = owner === null ? undefined : find.get({ owner })?.until
      return until !== undefined && until > now ? until : undefined
    },
  }
}
