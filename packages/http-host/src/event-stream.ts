import type { IdleList, Idler } from './idle-list.ts'

/** What all streams of a host share. */
export interface StreamSettings {
  /** Where streams wait for the moment to show that they are alive. */
  readonly silences: IdleList<Idler>
  /** Characters that may wait for a slow reader before the next frame cuts it off. */
  readonly maxQueued: number
}

/** Whoever sends over a stream. */
export interface StreamOwner {
  /** Told once, when nothing more can be sent: the reader went away, or the stream ended or was cut. */
  onGone(stream: EventStream): void
}

/** What goes with every stream: nothing on its way may hold it back, keep it or compress it. */
export const eventHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

const encoder = new TextEncoder()

/**
 * One connection that carries server-sent events. What its reader does not take waits in a bounded
 * queue; a reader that is too slow for it is cut off, and nobody else notices.
 */
export class EventStream implements Idler {
  idleSince = 0
  idleBefore: Idler | undefined = undefined
  idleAfter: Idler | undefined = undefined
  readonly #settings: StreamSettings
  readonly #owner: StreamOwner
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #queue: { frame: string; key: string | undefined }[] = []
  #queued = 0
  #wanted = false
  #ending = false
  #gone = false

  constructor(settings: StreamSettings, owner: StreamOwner) {
    this.#settings = settings
    this.#owner = owner
  }

  /**
   * The answer that carries the stream. `opening` is sent at once, whatever its size: some proxies
   * hold back even the headers until there is a byte of the body.
   */
  open(opening: string): Response {
    this.#queue.push({ frame: opening, key: undefined })
    this.#settings.silences.touch(this)
    return new Response(new ReadableStream(this, { highWaterMark: 0 }), { headers: eventHeaders })
  }

  /** Whether something that says the same still waits to be sent. */
  isQueued(key: string): boolean {
    return this.#queue.some((entry) => entry.key === key)
  }

  /** Sends a frame. Two frames with the same key say the same. */
  write(frame: string, key?: string): void {
    if (this.#gone) return
    this.#settings.silences.touch(this)
    if (this.#queued > this.#settings.maxQueued) this.#cut()
    else if (this.#wanted) this.#enqueue(frame)
    else {
      this.#queue.push({ frame, key })
      this.#queued += frame.length
    }
  }

  /** Ends the stream, after what still waits. */
  end(): void {
    if (this.#gone) return
    this.#leave()
    this.#ending = true
    if (this.#wanted) this.#controller?.close()
  }

  /** Ends the stream because another one takes its place: what waits goes there. */
  replace(): void {
    if (this.#queue.length > 0) this.#cut()
    else this.end()
  }

  onIdle(): void {
    // A reader that is behind knows that the connection lives.
    if (this.#wanted) this.#enqueue(': keepalive\n\n')
    this.#settings.silences.touch(this)
  }

  /** For the runtime. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
  }

  /** For the runtime: the reader wants more. */
  pull(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#queue.length > 0) {
      const text = this.#queue.map((entry) => entry.frame).join('')
      this.#queue = []
      this.#queued = 0
      controller.enqueue(encoder.encode(text))
    } else this.#wanted = true
    if (this.#ending) controller.close()
  }

  /** For the runtime: the reader went away. */
  cancel(): void {
    this.#queue = []
    this.#leave()
  }

  #enqueue(frame: string): void {
    this.#wanted = false
    this.#controller?.enqueue(encoder.encode(frame))
  }

  #cut(): void {
    this.#queue = []
    this.#controller?.error(new Error('The reader was too slow for what this stream had to say.'))
    this.#leave()
  }

  #leave(): void {
    if (this.#gone) return
    this.#gone = true
    this.#settings.silences.remove(this)
    this.#owner.onGone(this)
  }
}
