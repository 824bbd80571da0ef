import type { Session } from '../session.ts'

/** What sessions watch, until they say otherwise or end. */
export class Watches {
  readonly #bySession = new Map<Session, Map<string, () => void>>()

  /** Watches something for a session under a key, once; nothing for a session that has ended. */
  add(session: Session, key: string, watch: () => () => void): void {
    if (session.ending.cancelled) return
    let watches = this.#bySession.get(session)
    if (!watches) {
      watches = new Map()
      this.#bySession.set(session, watches)
      session.ending.listen({ onCancel: () => this.#endAll(session) })
    }
    if (!watches.has(key)) watches.set(key, watch())
  }

  end(session: Session, key: string): void {
    const watches = this.#bySession.get(session)
    const stop = watches?.get(key)
    watches?.delete(key)
    stop?.()
  }

  #endAll(session: Session): void {
    const watches = this.#bySession.get(session)
    this.#bySession.delete(session)
    const failures: unknown[] = []
    for (const stop of watches?.values() ?? []) {
      try {
        stop()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Watches could not be ended')
  }
}
