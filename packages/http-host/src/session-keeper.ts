import type { Clock } from '@mobius-mcp/protocol'
import type { StreamEvent } from '@mobius-mcp/state'
import type { EventLimits } from './event-log.ts'
import type { HostSession } from './host-session.ts'
import type { OpenSessionStore, SessionStore } from './session-store.ts'
import type { SessionTable } from './session-table.ts'

export interface KeeperOptions {
  readonly store: SessionStore | OpenSessionStore
  readonly clock: Clock
  readonly sessions: SessionTable
  readonly idleTimeout: number
  readonly events: EventLimits | undefined
  readonly onError: (error: Error) => void
}

type Work = (store: SessionStore) => Promise<unknown>

/** Events are written in groups, after so many milliseconds. */
const groupFor = 50
/** How often it is noted which sessions were used, at most. */
const longestRound = 60_000
/** So many at once hold nothing up. */
const slice = 500
const betweenSlices = 20

/**
 * Writes what is kept of sessions: in order, beside whatever changes it, and nothing at all for a
 * call. When sessions were last used is noted in rounds.
 */
export class SessionKeeper {
  readonly #options: KeeperOptions
  #opening: Promise<SessionStore | undefined> | undefined
  #tail: Promise<void> = Promise.resolve()
  #events: StreamEvent[] = []
  #flushing: unknown
  #round: unknown
  /** The sessions that the round has not come to yet. */
  #rest: Iterator<HostSession> | undefined
  /** What was used since then is noted in this round. */
  #since = 0
  #roundBegan = 0
  #released = false

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#awaitRound()
  }

  get idleTimeout(): number {
    return this.#options.idleTimeout
  }

  /** `undefined` where it could not be opened: then nothing is kept. */
  get store(): Promise<SessionStore | undefined> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** Resolves when all that was put before is written. */
  get settled(): Promise<void> {
    return this.#tail
  }

  /**
   * From where a session that goes on counts, so that it never gives a number again: it would have
   * to give a hundred thousand a second to be overtaken by its own next restart.
   */
  firstNumber(): number {
    return this.#options.clock.now() * 100
  }

  /** Has something written after all that came before. */
  put(work: Work): void {
    this.#tail = this.#tail.then(async () => {
      try {
        const store = await this.store
        if (store) await work(store)
      } catch (error) {
        this.#report('What is kept of sessions could not be written', error)
      }
    })
  }

  append(event: StreamEvent): void {
    this.#events.push(event)
    this.#flushing ??= this.#options.clock.set(() => this.#flush(), groupFor)
  }

  /** The session has ended, unless it is only let go for the next process. */
  forget(key: string): void {
    if (this.#released) return
    this.#flush()
    this.put(async ({ sessions, events }) => {
      await sessions.delete(key)
      await events.delete(key)
    })
  }

  /** From now on sessions that end go on in the next process. */
  release(): void {
    this.#released = true
    const { clock, sessions } = this.#options
    clock.clear(this.#round)
    const keys = Array.from(sessions).flatMap((session) => this.#usedSince(session))
    for (let first = 0; first < keys.length; first += slice) {
      this.#touch(keys.slice(first, first + slice))
    }
  }

  async close(): Promise<void> {
    this.#flush()
    await this.#tail
  }

  async #open(): Promise<SessionStore | undefined> {
    const { store } = this.#options
    try {
      return typeof store === 'function' ? await store() : store
    } catch (error) {
      this.#report('Sessions will not live through a restart', error)
      return undefined
    }
  }

  #flush(): void {
    const { clock } = this.#options
    clock.clear(this.#flushing)
    this.#flushing = undefined
    if (this.#events.length === 0) return
    const events = this.#events
    this.#events = []
    this.put((store) => store.events.append(events))
  }

  #beginRound(): void {
    const { clock, sessions } = this.#options
    this.#since = this.#roundBegan
    this.#roundBegan = clock.now()
    this.#rest = sessions[Symbol.iterator]()
    this.#goRound()
  }

  /** Notes the next of those that were used since the last round. */
  #goRound(): void {
    const { clock } = this.#options
    const used: string[] = []
    for (let count = 0; count < slice && this.#rest; count += 1) {
      const { done, value } = this.#rest.next()
      if (done) this.#rest = undefined
      else used.push(...this.#usedSince(value))
    }
    this.#touch(used)
    if (this.#rest) {
      this.#round = clock.set(() => this.#goRound(), betweenSlices)
      return
    }
    // After those that are used were noted as such, however long this machine has slept.
    this.#forgetOld()
    this.#awaitRound()
  }

  #forgetOld(): void {
    const { idleTimeout, events: limits, clock } = this.#options
    this.put(async ({ sessions, events }) => {
      const now = clock.now()
      await sessions.expire(now - idleTimeout, now)
      if (limits) await events.trim({ before: now - limits.maxAge, max: limits.maxEvents })
    })
  }

  #awaitRound(): void {
    const { clock, idleTimeout } = this.#options
    const round = Math.min(longestRound, idleTimeout / 4)
    this.#round = clock.set(() => this.#beginRound(), round)
  }

  #usedSince({ kept, idleSince, active }: HostSession): string[] {
    return kept && (active || idleSince >= this.#since) ? [kept.key] : []
  }

  #touch(keys: readonly string[]): void {
    if (keys.length === 0) return
    const now = this.#options.clock.now()
    this.put(({ sessions, owner }) => sessions.touch(keys, owner, now))
  }

  #report(what: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error)
    this.#options.onError(new Error(`${what}: ${why}`, { cause: error }))
  }
}
