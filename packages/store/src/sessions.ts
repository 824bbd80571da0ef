import type { JsonObject } from '@mobius-mcp/protocol'
import type { SessionChange, SessionRecord, Sessions } from '@mobius-mcp/state'
import { and, eq, gt, lt, notExists, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import type { StoredLeases } from './leases.ts'
import { leases as leaseTable, sessions } from './schema.ts'

type Row = typeof sessions.$inferSelect

export function createStoredSessions(database: Database, leases: StoredLeases): Sessions {
  const { atomically } = database
  const prepared = prepareSessions(database)
  const save = (session: SessionRecord) => prepared.save.run(toRow(session))
  return {
    async save(session) {
      save(session)
    },
    async get(key) {
      return toSession(prepared.find.get({ key }))
    },
    async claim(key, owner, now) {
      return atomically(() => {
        const known = toSession(prepared.find.get({ key }))
        if (!known) return { kind: 'unknown' }
        const until = leases.heldUntil(known.owner ?? null, now)
        if (known.owner !== undefined && known.owner !== owner && until !== undefined) {
          return { kind: 'held', owner: known.owner, until }
        }
        const session = { ...known, owner, seenAt: Math.max(known.seenAt, now) }
        save(session)
        return { kind: 'claimed', session, resumed: known.owner !== owner }
      })
    },
    async update(key, owner, change) {
      return atomically(() => {
        const known = toSession(prepared.find.get({ key }))
        if (known?.owner !== owner) return false
        save({ ...known, ...change })
        return true
      })
    },
    async touch(keys, owner, seenAt) {
      prepared.touch.run({ keys: JSON.stringify(keys), owner, seenAt })
    },
    async delete(key) {
      prepared.remove.run({ key })
    },
    async expire(before, now) {
      return prepared.expire
        .all({ before, now })
        .map(({ key }) => key)
        .sort()
    },
  }
}

function prepareSessions({ statements }: Database) {
  const { placeholder } = sql
  const ofKey = eq(sessions.key, placeholder('key'))
  const holders = statements
    .select({ owner: leaseTable.owner })
    .from(leaseTable)
    .where(and(eq(leaseTable.owner, sessions.owner), gt(leaseTable.until, placeholder('now'))))
  return {
    find: statements.select().from(sessions).where(ofKey).prepare(),
    remove: statements.delete(sessions).where(ofKey).prepare(),
    touch: statements
      .update(sessions)
      .set({ seenAt: sql`${placeholder('seenAt')}` })
      .where(
        and(
          eq(sessions.owner, placeholder('owner')),
          sql`${sessions.key} in (select value from json_each(${placeholder('keys')}))`,
        ),
      )
      .prepare(),
    save: statements
      .insert(sessions)
      .values({
        key: placeholder('key'),
        owner: placeholder('owner'),
        seenAt: placeholder('seenAt'),
        logLevel: placeholder('logLevel'),
        subscriptions: placeholder('subscriptions'),
        memory: placeholder('memory'),
        session: placeholder('session'),
      })
      .onConflictDoUpdate({
        target: sessions.key,
        set: {
          owner: sql`excluded.owner`,
          seenAt: sql`excluded.seen_at`,
          logLevel: sql`excluded.log_level`,
          subscriptions: sql`excluded.subscriptions`,
          memory: sql`excluded.memory`,
          session: sql`excluded.session`,
        },
      })
      .prepare(),
    expire: statements
      .delete(sessions)
      .where(and(lt(sessions.seenAt, placeholder('before')), notExists(holders)))
      .returning({ key: sessions.key })
      .prepare(),
  }
}

/** What does not change stands together. */
type Fixed = Omit<SessionRecord, 'key' | 'owner' | keyof SessionChange>

function toRow({
  key,
  owner,
  seenAt,
  logLevel,
  subscriptions,
  memory,
  ...rest
}: SessionRecord): Row {
  const { id, issuer } = rest.principal
  const fixed: Fixed = { ...rest, principal: { id, issuer } }
  return {
    key,
    owner: owner ?? null,
    seenAt,
    logLevel: logLevel ?? null,
    subscriptions: JSON.stringify(subscriptions),
    memory: memory === undefined ? null : JSON.stringify(memory),
    session: JSON.stringify(fixed),
  }
}

function toSession(row: Row | undefined): SessionRecord | undefined {
  if (!row) return undefined
  const { key, owner, seenAt } = row
  // Nothing but this writes them.
  const fixed = JSON.parse(row.session) as Fixed
  const subscriptions = JSON.parse(row.subscriptions) as string[]
  const logLevel = row.logLevel ?? undefined
  const memory = row.memory === null ? undefined : (JSON.parse(row.memory) as JsonObject)
  return { key, ...fixed, owner: owner ?? undefined, seenAt, logLevel, subscriptions, memory }
}
