import { and, asc, eq, gt, isNull, lt, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { leases, runs, steps } from './schema.ts'

/** Prepares the journal's statements. */
export function prepareJournal({ statements }: Database) {
  const { placeholder } = sql
  const ofRun = eq(steps.run, placeholder('run'))
  const ofStep = and(ofRun, eq(steps.key, placeholder('key')))
  const run = eq(runs.id, placeholder('id'))
  return {
    findRun: statements.select().from(runs).where(run).prepare(),
    insertRun: statements
      .insert(runs)
      .values({
        id: placeholder('id'),
        kind: placeholder('kind'),
        input: placeholder('input'),
        state: 'open',
        owner: placeholder('owner'),
        generation: 1,
        createdAt: placeholder('now'),
      })
      .prepare(),
    takeRun: statements
      .update(runs)
      .set({ owner: sql`${placeholder('owner')}`, generation: sql`${runs.generation} + 1` })
      .where(run)
      .prepare(),
    endRun: statements
      .update(runs)
      .set({
        state: 'ended',
        owner: null,
        endedAt: sql`${placeholder('now')}`,
        result: sql`${placeholder('result')}`,
      })
      .where(run)
      .prepare(),
    releaseRun: statements.update(runs).set({ owner: null }).where(run).prepare(),
    deleteRun: statements.delete(runs).where(run).prepare(),
    forgetRuns: statements
      .delete(runs)
      .where(and(eq(runs.state, 'ended'), lt(runs.endedAt, placeholder('before'))))
      .prepare(),

    findStep: statements.select().from(steps).where(ofStep).prepare(),
    insertStep: statements
      .insert(steps)
      .values({
        run: placeholder('run'),
        position: sql`(select coalesce(max(position), 0) + 1 from steps where run = ${placeholder('run')})`,
        key: placeholder('key'),
        state: 'started',
        idempotent: placeholder('idempotent'),
        attempts: 1,
        startedAt: placeholder('now'),
      })
      .prepare(),
    restartStep: statements
      .update(steps)
      .set({ attempts: sql`${steps.attempts} + 1`, startedAt: sql`${placeholder('now')}` })
      .where(ofStep)
      .prepare(),
    closeStep: statements
      .update(steps)
      .set({
        state: sql`${placeholder('state')}`,
        result: sql`${placeholder('result')}`,
        endedAt: sql`${placeholder('now')}`,
      })
      .where(and(ofStep, eq(steps.state, 'started')))
      .prepare(),
    interruptSteps: statements
      .update(steps)
      .set({ state: 'interrupted', endedAt: sql`${placeholder('now')}` })
      .where(and(ofRun, eq(steps.state, 'started'), eq(steps.idempotent, false)))
      .prepare(),
    listSteps: statements
      .select()
      .from(steps)
      .where(and(ofRun, gt(steps.position, placeholder('after'))))
      .orderBy(asc(steps.position))
      .limit(placeholder('limit'))
      .prepare(),
  }
}

/** Open, and nobody's who lives. */
export function isAbandoned(database: Database, now: number): SQL | undefined {
  const owners = database.statements
    .select({ owner: leases.owner })
    .from(leases)
    .where(and(eq(leases.owner, runs.owner), gt(leases.until, now)))
  return and(eq(runs.state, 'open'), or(isNull(runs.owner), notExists(owners)))
}
