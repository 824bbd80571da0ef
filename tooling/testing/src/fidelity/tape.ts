import type { JsonObject, Recorded } from '../probe/recording.ts'

/** Every message one client sent and received, in order. */
export interface Tape {
  readonly records: readonly Recorded[]
  record(direction: Recorded['direction'], message: JsonObject): void
  /** The first match at or after an index; waits for it within a bound. */
  find(
    matches: (record: Recorded) => boolean,
    options?: { from?: number; within?: number },
  ): Promise<Recorded>
}

interface Waiter {
  matches: (record: Recorded) => boolean
  resolve: (record: Recorded) => void
}

/** An empty tape, filed under a name. */
export function createTape(session: string): Tape {
  const records: Recorded[] = []
  const waiters = new Set<Waiter>()
  return {
    records,
    record(direction, message) {
      const record = { pid: process.pid, session, direction, message }
      records.push(record)
      for (const waiter of waiters) {
        if (waiter.matches(record)) {
          waiters.delete(waiter)
          waiter.resolve(record)
        }
      }
    },
    find(matches, { from = 0, within = 5_000 } = {}) {
      const found = records.slice(from).find(matches)
      if (found !== undefined) {
        return Promise.resolve(found)
      }
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          matches,
          resolve: (record) => {
            clearTimeout(timer)
            resolve(record)
          },
        }
        const timer = setTimeout(() => {
          waiters.delete(waiter)
          const seen = records.slice(from).map(({ message }) => message.method ?? 'an answer')
          reject(new Error(`Expected a message within ${within} ms, got only ${seen.join(', ')}.`))
        }, within)
        waiters.add(waiter)
      })
    },
  }
}
