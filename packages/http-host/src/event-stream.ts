import type { IdleList, Idler } from './idle-list.ts'

/** What all streams of a host share. */
export interface StreamSettings {
  /** Where streams wait for the moment to show that they are alive. */
  readonly silences: IdleList<Idler>
  /** Characters that may wait for a reader that takes nothing for as long as its patience. */
  readonly maxQueued: number
  /** In milliseconds. */
  readonly patience: number
}

/** Whoever sends over a stream. */
export interface StreamOwner {
  /** Told once, when nothing more can be sent: the reader went away, or the stream ended or was cut. */
  onGone(stream: EventStream): void
}

/** The connection under a stream. It tells the stream when it wants more, and when it is gone. */
export interface Sink {
  /** Takes text; false when it wants no more before it says so. */
  write(text: string): boolean
  end(): void
  /** Breaks the connection off, with whatever it still holds. */
  cut(): void
}

/**
 * How many times `maxQueued` may wait for a reader within its patience: a burst is written faster
 * than any reader reads, and is no reason to cut one off.
 */
const burst = 16

/** What goes with every stream: nothing on its way may hold it back, keep it or compress it. */
export const eventHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * One connection that carries server-sent events. What its reader does not take waits in a bounded
 * queue; a reader that is too slow for it is cut off, and nobody else notices.
 */
export class EventStream implements Idler {
  idleSince = 0
  idleBefore: Idler | undefined = undefined
  idleAfter: Idler | undefined = undefined
  /** Of the answer that carries the stream. */
  headers: Readonly<Record<string, string>> = eventHeaders
  readonly #settings: StreamSettings
  readonly #owner: StreamOwner
  readonly #opening: string
  #sink: Sink | undefined
  #queue: { frame: string; key: string | undefined }[] | undefined
  #queued = 0
  /** The connection takes more. */
  #ready = false
  /** When it last took something. */
  #lastTaken = 0
  #gone = false

  /**
   * `opening` is sent at once, whatever its size: some proxies hold back even the headers until
   * there is a byte of the body.
   */
  constructor(opening: string, settings: StreamSettings, owner: StreamOwner) {
    this.#opening = opening
    this.#settings = settings
    this.#owner = owner
    settings.silences.touch(this)
  }

  /** Begins to send. */
  connect(sink: Sink): void {
    this.#sink = sink
    this.#send(sink, this.#opening)
    if (this.#ready) this.onReady()
  }

  /** Whether something that says the same still waits to be sent. */
  isQueued(key: string): boolean {
    return this.#queue?.some((entry) => entry.key === key) ?? false
  }

  /** Sends a frame. Two frames with the same key say the same. */
  write(frame: string, key?: string): void {
    if (this.#gone) return
    if (this.#ready && this.#sink) {
      this.#send(this.#sink, frame)
      return
    }
    this.#settings.silences.touch(this)
    this.#queue ??= []
    this.#queue.push({ frame, key })
    this.#queued += frame.length
    this.#cutIfStalled()
  }

  /** Ends the stream, after what still waits. */
  end(): void {
    if (this.#gone) return
    this.#leave()
    if (this.#ready) this.#sink?.end()
  }

  /** Hands over what waits, for another stream to send. */
  takeWaiting(): string {
    const text = this.#queue?.map((entry) => entry.frame).join('') ?? ''
    this.#queue = undefined
    this.#queued = 0
    return text
  }

  onIdle(): void {
    this.#settings.silences.touch(this)
    // A reader that is behind knows that the connection lives.
    if (this.#ready && this.#sink) this.#send(this.#sink, ': keepalive\n\n')
    else this.#cutIfStalled()
  }

  /** The connection takes more. */
  onReady(): void {
    this.#ready = true
    if (this.#queue && this.#sink) this.#send(this.#sink, this.takeWaiting())
    if (this.#gone && !this.#queue) this.#sink?.end()
  }

  /** The reader went away. */
  onClosed(): void {
    this.#queue = undefined
    this.#leave()
  }

  #send(sink: Sink, text: string): void {
    if (!this.#gone) this.#settings.silences.touch(this)
    this.#lastTaken = this.idleSince
    this.#ready = sink.write(text)
  }

  /** What was added last does not count: it may be of any size. */
  #cutIfStalled(): void {
    const { maxQueued, patience } = this.#settings
    const before = this.#queued - (this.#queue?.at(-1)?.frame.length ?? 0)
    const stalled = this.idleSince - this.#lastTaken >= patience
    if (!this.#sink || before <= (stalled ? maxQueued : burst * maxQueued)) return
    this.#queue = undefined
    this.#leave()
    this.#sink.cut()
  }

  #leave(): void {
    if (this.#gone) return
    this.#gone = true
    this.#settings.silences.remove(this)
    this.#owner.onGone(this)
  }
}
