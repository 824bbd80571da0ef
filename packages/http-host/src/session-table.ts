import type { Clock } from '@mobius-mcp/protocol'
import type { HostSession } from './host-session.ts'
import { IdleList } from './idle-list.ts'

/** The sessions of a host, by the id that their clients show. */
export class SessionTable implements Iterable<HostSession> {
  readonly #byKey = new Map<string, HostSession>()
  readonly #idle: IdleList<HostSession>
  readonly #max: number
  /** Those whose handshake is under way. */
  readonly #beginning = new Set<HostSession>()

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
  makeRoom(): boolean {
    if (this.#byKey.size + this.#beginning.size < this.#max) return true
    const { oldest } = this.#idle
    oldest?.close('evicted: too many sessions, and this one was idle for longest')
    return oldest !== undefined
  }

  /** The handshake is under way. */
  begin(session: HostSession): void {
    this.#beginning.add(session)
  }

  /** The session is there for its client. */
  add(session: HostSession): void {
    this.#beginning.delete(session)
    this.#byKey.set(session.key, session)
  }

  remove(session: HostSession): void {
    this.#idle.remove(session)
    this.#beginning.delete(session)
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

  /** Ends all of them, and the clock. */
  close(reason: string): void {
    for (const session of [...this.#beginning, ...this.#byKey.values()]) session.close(reason)
    this.#idle.clear()
  }
}
