import type { CallEvent, CallRecord } from '../../src/index.ts'

/** A call that ended well at the time, in milliseconds since the epoch. */
export function eventOf(id: string, changes: Partial<CallEvent> = {}): CallEvent {
  return {
    id,
    origin: { kind: 'client', name: 'editor' },
    depth: 0,
    principal: 'local',
    server: 'github',
    method: 'tools/call',
    name: 'search',
    startedAt: Date.UTC(2026, 0, 1),
    milliseconds: 12,
    outcome: 'ok',
    ...changes,
  }
}

/** The records, briefly: a call by its id, a gap by its reason and how many are missing. */
export function brief(records: readonly CallRecord[]): string[] {
  return records.map((record) =>
    record.kind === 'call'
      ? record.event.id
      : `${record.gap.reason} ${record.gap.count ?? 'unknown'}`,
  )
}
