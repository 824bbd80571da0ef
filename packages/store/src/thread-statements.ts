import {
  foldTitle,
  fromCursor,
  type PrincipalName,
  principalKey,
  type ThreadQuery,
} from '@mobius-mcp/state'
import { and, asc, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { threadItems, threads } from './schema.ts'

export function prepareThreads({ statements }: Database) {
  const { placeholder } = sql
  const own = and(
    eq(threads.id, placeholder('id')),
    eq(threads.principal, placeholder('principal')),
  )
  const change = { updatedAt: sql`${placeholder('at')}` }
  return {
    find: statements.select().from(threads).where(own).prepare(),
    create: statements
      .insert(threads)
      .values({
        id: placeholder('id'),
        principal: placeholder('principal'),
        agent: placeholder('agent'),
        title: placeholder('title'),
        folded: placeholder('folded'),
        parent: placeholder('parent'),
        createdAt: placeholder('at'),
        updatedAt: placeholder('at'),
        last: 0,
      })
      .onConflictDoNothing()
      .prepare(),
    rename: statements
      .update(threads)
      .set({
        ...change,
        title: sql`${placeholder('title')}`,
        folded: sql`${placeholder('folded')}`,
      })
      .where(own)
      .prepare(),
    grow: statements
      .update(threads)
      .set({ ...change, last: sql`${placeholder('last')}` })
      .where(own)
      .prepare(),
    remove: statements.delete(threads).where(own).prepare(),
    append: statements
      .insert(threadItems)
      .values({
        thread: placeholder('thread'),
        sequence: placeholder('sequence'),
        id: placeholder('id'),
        at: placeholder('at'),
        value: placeholder('value'),
      })
      .onConflictDoNothing()
      .prepare(),
    items: statements
      .select()
      .from(threadItems)
      .where(
        and(
          eq(threadItems.thread, placeholder('thread')),
          gt(threadItems.sequence, placeholder('after')),
        ),
      )
      .orderBy(asc(threadItems.sequence))
      .limit(placeholder('limit'))
      .prepare(),
  }
}

/** The latest threads of a principal, along the index. */
export function listThreads(
  { statements }: Database,
  principal: PrincipalName,
  { search = '', agent, parent, cursor, limit = 100 }: ThreadQuery,
) {
  const place = cursor === undefined ? undefined : fromCursor(cursor)
  const filter = and(
    eq(threads.principal, principalKey(principal)),
    place && sql`(${threads.updatedAt}, ${threads.id}) < (${place.at}, ${place.id})`,
    agent === undefined ? undefined : eq(threads.agent, agent),
    parent === undefined
      ? undefined
      : parent === null
        ? isNull(threads.parent)
        : eq(threads.parent, parent),
    search === '' ? undefined : sql`instr(${threads.folded}, ${foldTitle(search)}) > 0`,
  )
  return statements
    .select()
    .from(threads)
    .where(filter)
    .orderBy(desc(threads.updatedAt), desc(threads.id))
    .limit(limit + 1)
    .all()
}
