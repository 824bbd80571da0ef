import type { Clock } from '@mobius-mcp/protocol'
import type { HostSession } from './host-session.ts'
import { IdleList } from './idle-list.ts'

/** The sessions of a host, by the id that their clients show. */
export class SessionTable implements Iterable<HostSession> {
  readonly #byKey = new Map<string, HostSession>()
  readonly #idle: IdleList<HostSession>
  readonly #max: number
  /** Handshakes under way. */
  #opening = 0

  constructor(clock: Clock, idleTimeout: number, max: number) {
    this.#idle = new IdleList(clock, idleTimeout)
    this.#max = max
  }

  get size(): number {
    return this.#byKey.size
  }

  find(key: string): HostSession | undefined {
    return this.#byKey.get(key)
  }

  /** Makes room for one more, at the cost of whichever was idle for longest; false if none was. */
  reserve(): boolean {
    if (this.#byKey.size + this.#opening >= this.#max) {
      const { oldest } = this.#idle
      if (!oldest) return false
      oldest.close('evicted: too many sessions, and this one was idle for longest')
    }
    this.#opening += 1
    return true
  }

  /** Gives back what was reserved. */
  settle(): void {
    this.#opening -= 1
  }

  add(session: HostSession): void {
    this.#byKey.set(session.key, session)
  }

  remove(session: HostSession): void {
    this.#idle.remove(session)
    if (this.#byKey.get(session.key) === session) this.#byKey.delete(session.key)
  }

  /** Nothing is under way in the session: its time runs. */
  onIdle(session: HostSession): void {
    this.#idle.touch(session)
  }

  onActive(session: HostSession): void {
    this.#idle.remove(session)
  }

  [Symbol.iterator](): IterableIterator<HostSession> {
    return this.#byKey.values()
  }

  /** Stops the clock. */
  clear(): void {
    this.#idle.clear()
  }
}
