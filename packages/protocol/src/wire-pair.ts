import type { Message } from './message.ts'
import type { MessageExtra, Wire, WireSendOptions } from './wire.ts'

/** Two ends of a wire in memory: what one sends the other receives, in order, as the same object. */
export function createWirePair(): [Wire, Wire] {
  const left = new MemoryWire()
  const right = new MemoryWire()
  left.other = right
  right.other = left
  return [left, right]
}

class MemoryWire implements Wire {
  onclose: (() => void) | undefined = undefined
  onerror: ((error: Error) => void) | undefined = undefined
  onmessage: ((message: Message, extra?: object) => void) | undefined = undefined
  other: MemoryWire | undefined = undefined
  #waiting: [Message, MessageExtra | undefined][] = []
  #started = false
  #closed = false

  async start(): Promise<void> {
    this.#started = true
    const waiting = this.#waiting
    this.#waiting = []
    for (const [message, extra] of waiting) this.onmessage?.(message, extra)
  }

  async send(message: Message, options?: WireSendOptions): Promise<void> {
    if (this.#closed) throw new Error('The wire is closed; the message was not sent')
    const relatedRequestId = options?.relatedRequestId
    // An answer is no part of another request's conversation.
    const related = relatedRequestId !== undefined && 'method' in message
    this.other?.deliver(message, related ? { relatedRequestId } : undefined)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
    await this.other?.close()
  }

  deliver(message: Message, extra: MessageExtra | undefined): void {
    if (this.#started) this.onmessage?.(message, extra)
    else this.#waiting.push([message, extra])
  }
}
