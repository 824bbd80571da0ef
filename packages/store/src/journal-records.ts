import type { Claim, Fence, JournalRecords, StoredRun, StoredStep } from '@mobius-mcp/state'
import { and, asc, eq } from 'drizzle-orm'
import type { Database } from './database.ts'
import { isAbandoned, prepareJournal } from './journal-statements.ts'
import type { StoredLeases } from './leases.ts'
import { runs, type steps } from './schema.ts'

export function createStoredJournalRecords(
  database: Database,
  leases: StoredLeases,
): JournalRecords {
  const prepared = prepareJournal(database)
  const isHeld = ({ run: id, generation }: Fence) => {
    const run = prepared.findRun.get({ id })
    return run?.state === 'open' && run.owner !== null && run.generation === generation
  }
  /** Does what a claim allows, if it still does. */
  const holding = <T>(fence: Fence, work: () => T): T | undefined =>
    database.atomically(() => (isHeld(fence) ? work() : undefined))
  return {
    async claim({ id, owner, kind, input = null, now }) {
      return database.atomically((): Claim => {
        const known = prepared.findRun.get({ id })
        if (known?.state === 'ended') return { kind: 'ended', run: toRun(known) }
        const until = known && leases.heldUntil(known.owner, now)
        if (known?.owner && until !== undefined) return { kind: 'held', owner: known.owner, until }
        if (known) {
          prepared.takeRun.run({ id, owner })
          prepared.interruptSteps.run({ run: id, now })
          const run = toRun({ ...known, owner, generation: known.generation + 1 })
          return { kind: 'claimed', run, resumed: true }
        }
        prepared.insertRun.run({ id, owner, kind, input, now })
        const rest = { endedAt: null, result: null, generation: 1, createdAt: now }
        const run = toRun({ id, owner, kind, input, state: 'open', ...rest })
        return { kind: 'claimed', run, resumed: false }
      })
    },
    async start(fence, { key, idempotent, now }) {
      const { run } = fence
      const start = holding(fence, () => {
        const known = prepared.findStep.get({ run, key })
        if (!known) prepared.insertStep.run({ run, key, idempotent, now })
        else if (known.state !== 'started') return { kind: 'known', step: toStep(known) } as const
        else if (known.idempotent) prepared.restartStep.run({ run, key, now })
        else {
          prepared.closeStep.run({ run, key, state: 'interrupted', result: null, now })
          const step = toStep({ ...known, state: 'interrupted', endedAt: now })
          return { kind: 'known', step } as const
        }
        return { kind: 'run' } as const
      })
      return start ?? { kind: 'lost' }
    },
    async finish(fence, { key, state, result = null, now }) {
      const close = () => prepared.closeStep.run({ run: fence.run, key, state, result, now })
      return holding(fence, close)?.changes === 1
    },
    async end(fence, result, now) {
      const end = () => prepared.endRun.run({ id: fence.run, result: result ?? null, now })
      return holding(fence, end)?.changes === 1
    },
    async release(fence) {
      holding(fence, () => prepared.releaseRun.run({ id: fence.run }))
    },
    async find(id) {
      const run = prepared.findRun.get({ id })
      return run && toRun(run)
    },
    async steps(run, after, limit) {
      return prepared.listSteps.all({ run, after, limit }).map(toStep)
    },
    async list({ kind, state, abandonedAt, limit }) {
      const filter = and(
        kind === undefined ? undefined : eq(runs.kind, kind),
        state === undefined ? undefined : eq(runs.state, state),
        abandonedAt === undefined ? undefined : isAbandoned(database, abandonedAt),
      )
      return database.statements
        .select()
        .from(runs)
        .where(filter)
        .orderBy(asc(runs.createdAt))
        .limit(limit)
        .all()
        .map(toRun)
    },
    async delete(id) {
      prepared.deleteRun.run({ id })
    },
    async forget(before) {
      return prepared.forgetRuns.run({ before }).changes
    },
  }
}

function toRun(row: typeof runs.$inferSelect): StoredRun {
  const { input, owner, endedAt, result } = row
  return {
    ...row,
    input: input ?? undefined,
    owner: owner ?? undefined,
    endedAt: endedAt ?? undefined,
    result: result ?? undefined,
  }
}

function toStep({ run: _run, ...row }: typeof steps.$inferSelect): StoredStep {
  return { ...row, endedAt: row.endedAt ?? undefined, result: row.result ?? undefined }
}
