import { type CallEvent, endOf } from '../call-event.ts'
import type { CallLines } from './call-lines.ts'
import { encodeGap, type Gap, type GapReason } from './call-record.ts'

/** A gap that may still grow. */
export class OpenGap implements Gap {
  readonly reason: GapReason
  count = 0
  from: number = Number.POSITIVE_INFINITY
  until: number = Number.NEGATIVE_INFINITY

  constructor(reason: GapReason) {
    this.reason = reason
  }

  add({ count, from, until }: Loss): void {
    this.count += count
    this.from = Math.min(this.from, from)
    this.until = Math.max(this.until, until)
  }
}

/** How many calls are missing, and of which time. */
export type Loss = Pick<OpenGap, 'count' | 'from' | 'until'>

/** What is missing where one call is. */
export function lossOf(event: CallEvent): Loss {
  const end = endOf(event)
  return { count: 1, from: end, until: end }
}

/**
 * Calls that are written together. Their lines are made while they come, some at a time: what waits
 * as bytes is nothing to the garbage collector.
 */
export class CallBatch {
  /** What to note where it cannot be written; complete when it is finished. */
  readonly loss: OpenGap = new OpenGap('unwritten')
  readonly #lines: CallLines
  readonly #encoded: Buffer[] = []
  #waiting: (CallEvent | OpenGap)[] = []
  #size = 0

  constructor(lines: CallLines) {
    this.#lines = lines
  }

  get size(): number {
    return this.#size
  }

  add(item: CallEvent | OpenGap): void {
    if (this.#waiting.length >= atOnce) this.#encode()
    this.#waiting.push(item)
    this.#size += 1
  }

  /** All lines. Nothing can be added any more. */
  finish(): Buffer {
    this.#encode()
    return Buffer.concat(this.#encoded)
  }

  #encode(): void {
    let text = ''
    for (const item of this.#waiting) {
      if (item instanceof OpenGap) {
        text += encodeGap(item)
        this.loss.add(item)
      } else {
        text += this.#lines.encode(item)
        this.loss.add(lossOf(item))
      }
    }
    this.#encoded.push(Buffer.from(text))
    this.#waiting = []
  }
}

/** Nobody waits long for lines to be made. */
const atOnce = 256
