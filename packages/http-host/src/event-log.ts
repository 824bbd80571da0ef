import type { Clock } from '@mobius-mcp/protocol'
import type { IdleList, Idler } from './idle-list.ts'

/** What is kept of a session's events, for clients whose connection broke. */
export interface EventLimits {
  readonly maxEvents: number
  /** Of the events' text. The newest event is kept whatever its size. */
  readonly maxBytes: number
  /** In milliseconds. */
  readonly maxAge: number
}

export interface LoggedEvent {
  readonly channel: number
  readonly sequence: number
  /** As it goes over the wire; empty where a channel ended without an answer. */
  readonly frame: string
  /** The last of its channel. */
  readonly final: boolean
  /** Its asker ends with this process, and so does the question. */
  readonly question?: boolean | undefined
  readonly time: number
}

/** The latest events of one session. It empties itself when nothing was said for `maxAge`. */
export class EventLog implements Idler {
  idleSince = 0
  idleBefore: Idler | undefined = undefined
  idleAfter: Idler | undefined = undefined
  readonly #limits: EventLimits
  readonly #clock: Clock
  readonly #ages: IdleList<Idler>
  #events: LoggedEvent[] = []
  #bytes = 0

  constructor(limits: EventLimits, clock: Clock, ages: IdleList<Idler>) {
    this.#limits = limits
    this.#clock = clock
    this.#ages = ages
  }

  append(event: Omit<LoggedEvent, 'time'>): void {
    this.#ages.touch(this)
    this.#events.push({ ...event, time: this.idleSince })
    this.#bytes += event.frame.length
    this.#dropOld()
    const { maxEvents, maxBytes } = this.#limits
    while (this.#events.length > 1 && (this.#events.length > maxEvents || this.#bytes > maxBytes)) {
      this.#dropOne()
    }
  }

  /** Takes what an earlier process had kept. */
  restore(events: readonly LoggedEvent[]): void {
    this.#ages.touch(this)
    this.#events.push(...events)
    for (const { frame } of events) this.#bytes += frame.length
  }

  /** What a channel said after one of its events. */
  after(channel: number, sequence: number): LoggedEvent[] {
    this.#dropOld()
    return this.#events.filter((event) => event.channel === channel && event.sequence > sequence)
  }

  /** The last event of a channel that has ended, if it is still known. */
  end(channel: number): LoggedEvent | undefined {
    return this.#events.find((event) => event.channel === channel && event.final)
  }

  /** Forgets everything. */
  clear(): void {
    this.#ages.remove(this)
    this.onIdle()
  }

  onIdle(): void {
    this.#events = []
    this.#bytes = 0
  }

  #dropOld(): void {
    const oldest = this.#clock.now() - this.#limits.maxAge
    for (let first = this.#events[0]; first && first.time <= oldest; first = this.#events[0]) {
      this.#events.shift()
      this.#bytes -= first.frame.length
    }
  }

  /** An answer outlives the progress reports around it: somebody waits for it. */
  #dropOne(): void {
    const index = Math.max(
      0,
      this.#events.findIndex((event, at) => !event.final && at < this.#events.length - 1),
    )
    for (const dropped of this.#events.splice(index, 1)) this.#bytes -= dropped.frame.length
  }
}
