import {
  errorNumbers,
  type MessageSession,
  ProtocolError,
  type RequestId,
} from '@mobius-mcp/protocol'
import { requestSuffix, toFrame } from './event-id.ts'
import type { EventLog, LoggedEvent } from './event-log.ts'
import { EventStream, type StreamOwner } from './event-stream.ts'
import type { Idler } from './idle-list.ts'
import type { KeptSession } from './kept-session.ts'
import type { HostSettings } from './settings.ts'

/** Whose channels they are: a session's. */
export interface ChannelOwner {
  readonly settings: HostSettings
  readonly session: MessageSession
  /** Where events are kept for replay; `undefined` when they are not. */
  readonly log: EventLog | undefined
  /** Where they are kept for a client that comes back after a restart. */
  readonly kept: KeptSession | undefined
  /** Keeps the session from being idle while a client is connected. */
  hold(): void
  release(): void
  onFinished(channel: EventChannel): void
}

export interface ChannelStart {
  /** Its events' numbers are greater. */
  readonly sequence?: number | undefined
  /** What it answers. */
  readonly request?: RequestId | undefined
}

type EventKind = Partial<Pick<LoggedEvent, 'final' | 'question'>>

/** How soon a client should come back after its connection broke, in milliseconds. */
const retry = 1000

/** Says nothing, but is a byte of the body. */
const comment = ': stream\n\n'

/**
 * One logical stream of events: what one call has to say, or what belongs to no call. It outlives
 * the connections that carry it: a client whose connection broke comes back and gets the rest.
 */
export class EventChannel implements StreamOwner, Idler {
  idleSince = 0
  idleBefore: Idler | undefined = undefined
  idleAfter: Idler | undefined = undefined
  readonly number: number
  readonly #owner: ChannelOwner
  #sequence: number
  /** Up to where its events are kept. */
  #keptTo = 0
  #finished = false
  /** What its events' ids say of the request that it answers. */
  readonly #suffix: string
  #stream: EventStream | undefined
  #questions: RequestId[] | undefined

  constructor(number: number, owner: ChannelOwner, { sequence = 0, request }: ChannelStart = {}) {
    this.number = number
    this.#owner = owner
    this.#sequence = sequence
    this.#suffix = owner.kept && request !== undefined ? requestSuffix(request) : ''
  }

  /** Whether a client is connected. */
  get attached(): boolean {
    return this.#stream !== undefined
  }

  /**
   * Connects a client: the stream replays what followed the event that it saw last, and then goes
   * on. A client that was connected before is let go; what it did not take yet goes to the new one.
   */
  attach(after?: number): EventStream {
    const { settings, log } = this.#owner
    this.#owner.hold()
    settings.ages.remove(this)
    const previous = this.#stream
    const waiting = previous?.takeWaiting() ?? ''
    const missed = after === undefined ? [] : (log?.after(this.number, after) ?? [])
    const replay = missed.map((event) => event.frame).join('')
    const opening = after === undefined ? this.#opening() + waiting : replay || comment
    const stream = new EventStream(opening, settings, this)
    this.#stream = stream
    previous?.end()
    return stream
  }

  /** Sends a message. Two messages with the same key say the same: one that waits is enough. */
  send(text: string, key?: string): void {
    if (key !== undefined && this.#stream?.isQueued(key)) return
    const frame = this.#toFrame(text)
    this.#stream?.write(frame, key)
  }

  /**
   * Sends a request of the server.
   *
   * @throws ProtocolError `CONNECTION_CLOSED` when it could not reach the client any more.
   */
  ask(text: string, id: RequestId): void {
    const { session, log } = this.#owner
    if (!(this.attached || log)) throw unreachable()
    this.#questions = [...(this.#questions?.filter((each) => session.awaits(each)) ?? []), id]
    const frame = this.#toFrame(text, { question: true })
    this.#stream?.write(frame)
    if (!this.attached) this.#expectReturn()
  }

  /** Ends it, with an answer or without. */
  finish(answer?: string): void {
    const { settings, log } = this.#owner
    if (answer === undefined) {
      this.#sequence += 1
      log?.append({ channel: this.number, sequence: this.#sequence, frame: '', final: true })
      this.#keep()
    } else {
      const frame = this.#toFrame(answer, { final: true })
      this.#stream?.write(frame)
    }
    this.#questions = undefined
    this.#finished = true
    settings.ages.remove(this)
    this.#owner.onFinished(this)
    this.#stream?.end()
  }

  onGone(stream: EventStream): void {
    if (this.#stream === stream) this.#stream = undefined
    if (!this.#finished) this.#keep()
    if (this.#questions && !this.attached) this.#expectReturn()
    this.#owner.release()
  }

  /** The client did not come back: what it was asked stays unanswered. */
  onIdle(): void {
    const { session } = this.#owner
    for (const id of this.#questions ?? []) {
      if (!session.awaits(id)) continue
      const { message } = unreachable()
      const error = { code: errorNumbers.CONNECTION_CLOSED, message }
      session.receive({ jsonrpc: '2.0', id, error })
    }
    this.#questions = undefined
  }

  /** A question can be seen for as long as its event is kept. */
  #expectReturn(): void {
    if (this.#owner.log) this.#owner.settings.ages.touch(this)
    else this.onIdle()
  }

  #toFrame(text: string, { final = false, question }: EventKind = {}): string {
    const { log } = this.#owner
    if (!log) return toFrame(undefined, text)
    this.#sequence += 1
    const frame = toFrame(this.#eventId, text)
    log.append({ channel: this.number, sequence: this.#sequence, frame, final, question })
    this.#keep()
    return frame
  }

  /** What was said while nobody is connected, or just before, is for whoever comes back, even after a restart. */
  #keep(): void {
    const { log, kept } = this.#owner
    if (!(log && kept) || this.attached) return
    for (const event of log.after(this.number, this.#keptTo)) {
      if (!event.question) kept.store(event)
    }
    this.#keptTo = this.#sequence
  }

  get #eventId(): string {
    return `${this.number}-${this.#sequence}${this.#suffix}`
  }

  /**
   * An event without data gives the client an id to come back with. Clients of older revisions
   * stumble over it. MCP 2025-11-25, transports, SEP-1699.
   */
  #opening(): string {
    const { session, log } = this.#owner
    const version = session.peer?.protocolVersion ?? ''
    if (!(log && version >= '2025-11-25')) return comment
    return `id: ${this.#eventId}\nretry: ${retry}\ndata: \n\n`
  }
}

function unreachable(): ProtocolError {
  return new ProtocolError(
    'CONNECTION_CLOSED',
    'The client could not be asked: its connection is gone, and it did not come back for the question.',
  )
}
