import type { State } from '@mobius-mcp/state'
import { approvalMethod, askerOf } from './approval-record.ts'

/** Makes void what nobody waits for any more: approvals whose process, or whose run, is gone. */
export async function voidOrphans(
  { questions, journal, leases }: Pick<State, 'questions' | 'journal' | 'leases'>,
  now: number,
): Promise<void> {
  const alive = new Set((await leases.live(now)).map(({ owner }) => askerOf(owner)))
  const askers = new Set<string>()
  let cursor: string | undefined
  do {
    const page = await questions.list({ state: 'open', cursor })
    for (const { method, asker } of page.entries) if (method === approvalMethod) askers.add(asker)
    cursor = page.next
  } while (cursor !== undefined)
  for (const asker of askers) {
    if (alive.has(asker)) continue
    const run = await journal.find(asker.slice(0, asker.lastIndexOf('.')))
    if (run?.state === 'open') continue
    await questions.voidAsker(asker, { reason: 'what asked is gone', at: now })
  }
}
