import type { Events } from '@mobius-mcp/state'
import { and, asc, eq, gt, lt, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { events } from './schema.ts'

export function createStoredEvents({ statements, atomically }: Database): Events {
  const { placeholder } = sql
  const ofScope = eq(events.scope, placeholder('scope'))
  const append = statements
    .insert(events)
    .values({
      scope: placeholder('scope'),
      channel: placeholder('channel'),
      sequence: placeholder('sequence'),
      data: placeholder('data'),
      final: placeholder('final'),
      at: placeholder('at'),
    })
    .onConflictDoNothing()
    .prepare()
  const after = statements
    .select()
    .from(events)
    .where(
      and(
        ofScope,
        eq(events.channel, placeholder('channel')),
        gt(events.sequence, placeholder('sequence')),
      ),
    )
    .orderBy(asc(events.sequence))
    .limit(placeholder('limit'))
    .prepare()
  const channels = statements
    .select({
      channel: events.channel,
      last: sql<number>`max(${events.sequence})`,
      ended: sql<number>`max(${events.final})`,
    })
    .from(events)
    .where(ofScope)
    .groupBy(events.channel)
    .orderBy(asc(events.channel))
    .prepare()
  const forgetOld = statements
    .delete(events)
    .where(lt(events.at, placeholder('before')))
    .prepare()
  const crowded = statements
    .select({ scope: events.scope, surplus: sql<number>`count(*) - ${placeholder('max')}` })
    .from(events)
    .groupBy(events.scope)
    .having(sql`count(*) > ${placeholder('max')}`)
    .prepare()
  const thin = statements
    .delete(events)
    .where(
      sql`${events.position} in (select position from events where scope = ${placeholder('scope')} order by final, position limit ${placeholder('surplus')})`,
    )
    .prepare()
  const remove = statements.delete(events).where(ofScope).prepare()
  return {
    async append(added) {
      atomically(() => {
        for (const event of added) append.run({ ...event })
      })
    },
    async after(scope, channel, sequence, limit = 1000) {
      const rows = after.all({ scope, channel, sequence, limit })
      return rows.map(({ position: _position, ...event }) => event)
    },
    async channels(scope) {
      return channels.all({ scope }).map((end) => ({ ...end, ended: end.ended === 1 }))
    },
    async trim({ before, max }) {
      atomically(() => {
        forgetOld.run({ before })
        for (const scope of crowded.all({ max })) thin.run(scope)
      })
    },
    async delete(scope) {
      remove.run({ scope })
    },
  }
}
