import type { Agents } from '@mobius-mcp/agent-server'
import { type Clock, systemClock } from '@mobius-mcp/protocol'
import type { State } from '@mobius-mcp/state'
import type { Logger } from '@mobius-mcp/telemetry/log'
import { voidOrphans } from './void-orphans.ts'

export interface HouseOptions {
  readonly logger: Pick<Logger, 'error'>
  readonly clock?: Clock | undefined
  agents(): Promise<Pick<Agents, 'resume'>>
  state(): Promise<Pick<State, 'journal' | 'questions' | 'leases'>>
}

/** So often somebody looks whether a process has died: as long as a lease holds. */
const recoverEvery = 15_000
const forgetEvery = 3_600_000
/** For how long runs that have ended and questions that were answered are kept. Threads are kept until somebody deletes them. */
const memory = 7 * 24 * 3_600_000

/** Ends with its process, or when it is disposed of. */
export interface House extends Disposable {
  /** All of it has been done once. Never rejects. */
  readonly ready: Promise<void>
}

/**
 * What a process does that stays: it takes up the turns that others left behind when they died, at once
 * and again and again, and forgets what nobody needs any more.
 */
export function keepHouse({ logger, clock = systemClock, agents, state }: HouseOptions): House {
  const timers = new Set<unknown>()
  let isOver = false
  let said: string | undefined
  const every = async (milliseconds: number, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      said = undefined
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      // The next time may be better; the same is not said again and again.
      if (text !== said) logger.error(text)
      said = text
    }
    if (isOver) return
    const timer = clock.set(() => {
      timers.delete(timer)
      void every(milliseconds, work)
    }, milliseconds)
    timers.add(timer)
  }
  const recovered = every(recoverEvery, async () => {
    const kept = await state()
    // Agents are not loaded for turns that are not there.
    const left = await kept.journal.list({ abandoned: true, limit: 1 })
    if (left.length > 0) await (await agents()).resume()
    await voidOrphans(kept, clock.now())
  })
  const forgotten = every(forgetEvery, async () => {
    const before = clock.now() - memory
    const { journal, questions } = await state()
    await journal.forget(before)
    await questions.forget(before)
  })
  return {
    ready: Promise.all([recovered, forgotten]).then(() => {}),
    [Symbol.dispose]() {
      isOver = true
      for (const timer of timers) clock.clear(timer)
    },
  }
}
