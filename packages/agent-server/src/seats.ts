import { createHash } from 'node:crypto'
import type { Principal, Session } from '@mobius-mcp/protocol'
import { principalKey } from '@mobius-mcp/state'
import type { ThreadHub, ThreadPart } from './thread-hub.ts'

interface SeatOptions {
  readonly own: string
  /** Where it is at the beginning; its own by default. */
  readonly thread: string | undefined
  onMove(thread: string): void
}

/** Where a client session sits with one agent: the thread that `chat://history` and its like mean. */
export class Seat {
  /** The one that the session has where it names no other. */
  readonly own: string
  readonly #hub: ThreadHub
  readonly #watchers = new Map<() => void, () => void>()
  readonly #onMove: (thread: string) => void
  #thread: string

  constructor(hub: ThreadHub, { own, thread = own, onMove }: SeatOptions) {
    this.#hub = hub
    this.own = own
    this.#thread = thread
    this.#onMove = onMove
  }

  get thread(): string {
    return this.#thread
  }

  /** The session goes on in another thread: whatever it watches reads differently now. */
  move(thread: string): void {
    if (thread === this.#thread) return
    this.#thread = thread
    this.#onMove(thread)
    const watchers = [...this.#watchers]
    for (const [rewatch, stop] of watchers) {
      stop()
      rewatch()
    }
  }

  watch(part: ThreadPart, changed: () => void): () => void {
    const rewatch = () => {
      this.#watchers.set(rewatch, this.#hub.watch(this.#thread, part, changed))
      changed()
    }
    this.#watchers.set(rewatch, this.#hub.watch(this.#thread, part, changed))
    return () => {
      this.#watchers.get(rewatch)?.()
      this.#watchers.delete(rewatch)
    }
  }
}

/** The seats of all client sessions. */
export class Seats {
  readonly #hub: ThreadHub
  readonly #seats = new WeakMap<Session, Map<string, Seat>>()

  constructor(hub: ThreadHub) {
    this.#hub = hub
  }

  of(session: Session, principal: Principal, agent: string): Seat {
    const seats = this.#seats.get(session) ?? new Map<string, Seat>()
    this.#seats.set(session, seats)
    const key = `${principalKey(principal)}\0${agent}`
    let seat = seats.get(key)
    if (!seat) {
      const { memory } = session
      const name = `thread ${key}`
      const remembered = memory?.recall(name)
      seat = new Seat(this.#hub, {
        own: nameThread('session', key, session.id),
        thread: typeof remembered === 'string' ? remembered : undefined,
        onMove: (thread) => memory?.remember(name, thread),
      })
      seats.set(key, seat)
    }
    return seat
  }
}

/** The same for the same parts, in any process, and tells nothing of them: a session's id may be a secret. */
export function nameThread(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}
