import type { Claim, Fence, JournalRecords, StoredRun, StoredStep } from './journal-records.ts'
import type { MemoryLeases } from './memory-leases.ts'

interface Entry {
  run: StoredRun
  readonly steps: Map<string, StoredStep>
}

/** Makes records of runs that are forgotten with the process. */
export function createMemoryJournalRecords(leases: MemoryLeases): JournalRecords {
  const entries = new Map<string, Entry>()
  const held = ({ run, generation }: Fence) => {
    const entry = entries.get(run)
    const holds = entry?.run.generation === generation && isHeld(entry.run)
    return holds ? entry : undefined
  }
  return {
    async claim({ id, owner, kind, input, now }): Promise<Claim> {
      const entry = entries.get(id)
      if (!entry) {
        const run = newRun({ id, owner, kind, input, createdAt: now })
        entries.set(id, { run, steps: new Map() })
        return { kind: 'claimed', run, resumed: false }
      }
      const { run } = entry
      if (run.state === 'ended') return { kind: 'ended', run }
      if (run.owner !== undefined && leases.isLive(run.owner, now)) {
        return { kind: 'held', owner: run.owner, until: leases.peek(run.owner)?.until ?? now }
      }
      entry.run = { ...run, owner, generation: run.generation + 1 }
      interrupt(entry, now)
      return { kind: 'claimed', run: entry.run, resumed: true }
    },
    async start(fence, { key, idempotent, now }) {
      const entry = held(fence)
      if (!entry) return { kind: 'lost' }
      const step = entry.steps.get(key)
      if (step?.state === 'started' && !step.idempotent) {
        entry.steps.set(key, { ...step, state: 'interrupted', endedAt: now })
      }
      const known = entry.steps.get(key)
      if (known && known.state !== 'started') return { kind: 'known', step: known }
      entry.steps.set(key, startStep(known, { key, idempotent, now, last: entry.steps.size }))
      return { kind: 'run' }
    },
    async finish(fence, { key, state, result, now }) {
      const entry = held(fence)
      const step = entry?.steps.get(key)
      if (step?.state !== 'started') return false
      entry?.steps.set(key, { ...step, state, result, endedAt: now })
      return true
    },
    async end(fence, result, now) {
      const entry = held(fence)
      if (!entry) return false
      entry.run = { ...entry.run, state: 'ended', owner: undefined, result, endedAt: now }
      return true
    },
    async release(fence) {
      const entry = held(fence)
      if (entry) entry.run = { ...entry.run, owner: undefined }
    },
    async find(id) {
      return entries.get(id)?.run
    },
    async steps(id, after, limit) {
      const steps = [...(entries.get(id)?.steps.values() ?? [])]
      return steps.filter(({ position }) => position > after).slice(0, limit)
    },
    async list({ kind, state, abandonedAt, limit }) {
      const isAbandoned = ({ state, owner }: StoredRun, now: number) =>
        state === 'open' && (owner === undefined || !leases.isLive(owner, now))
      return [...entries.values()]
        .map(({ run }) => run)
        .filter((run) => kind === undefined || run.kind === kind)
        .filter((run) => state === undefined || run.state === state)
        .filter((run) => abandonedAt === undefined || isAbandoned(run, abandonedAt))
        .sort((a, b) => a.createdAt - b.createdAt)
        .slice(0, limit)
    },
    async delete(id) {
      entries.delete(id)
    },
    async forget(before) {
      const old = [...entries.values()].filter(({ run }) => (run.endedAt ?? before) < before)
      for (const { run } of old) entries.delete(run.id)
      return old.length
    },
  }
}

function isHeld({ state, owner }: StoredRun): boolean {
  return state === 'open' && owner !== undefined
}

function newRun(run: Pick<StoredRun, 'id' | 'owner' | 'kind' | 'input' | 'createdAt'>): StoredRun {
  return { ...run, state: 'open', generation: 1, endedAt: undefined, result: undefined }
}

function interrupt({ steps }: Entry, now: number): void {
  for (const step of steps.values()) {
    if (step.state !== 'started' || step.idempotent) continue
    steps.set(step.key, { ...step, state: 'interrupted', endedAt: now })
  }
}

function startStep(
  known: StoredStep | undefined,
  { key, idempotent, now, last }: { key: string; idempotent: boolean; now: number; last: number },
): StoredStep {
  if (known) return { ...known, attempts: known.attempts + 1, startedAt: now }
  const rest = { position: last + 1, attempts: 1, endedAt: undefined, result: undefined }
  return { key, state: 'started', idempotent, startedAt: now, ...rest }
}
