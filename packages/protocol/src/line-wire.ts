import type { Readable, Writable } from 'node:stream'
import { type Clock, systemClock } from './clock.ts'
import { isResponse, type Message } from './message.ts'
import { parseMessage } from './parse-message.ts'
import type { Wire } from './wire.ts'

export interface LineWireOptions {
  /** A longer line ends the wire; 256 MiB by default. */
  maxLineBytes?: number | undefined
  /** Told of each line that is no message: banners, log lines. Such lines are skipped. */
  onNoise?: ((line: string) => void) | undefined
  /**
   * Milliseconds that requests under way have to be answered when the input ends; none by default.
   * Who pipes requests in and reads the answers ends the input before they are there.
   */
  patience?: number | undefined
  /** For `patience`; the machine's by default. */
  clock?: Clock | undefined
}

/** A wire over two byte streams: JSON-RPC messages, one a line, UTF-8. MCP 2025-11-25, stdio. */
export function createLineWire(
  input: Readable,
  output: Writable,
  options: LineWireOptions = {},
): Wire {
  return new LineWire(input, output, options)
}

const newline = 0x0a
const empty: Buffer = Buffer.alloc(0)

class LineWire implements Wire {
  onclose: (() => void) | undefined = undefined
  onerror: ((error: Error) => void) | undefined = undefined
  onmessage: ((message: Message, extra?: object) => void) | undefined = undefined
  readonly #input: Readable
  readonly #output: Writable
  readonly #maxLineBytes: number
  readonly #onNoise: ((line: string) => void) | undefined
  #partial: Buffer[] = []
  #partialBytes = 0
  #outgoing = ''
  #nextWrite: Promise<void> | undefined
  #draining: Promise<void> | undefined
  #heard = false
  #closed = false
  readonly #patience: number
  readonly #clock: Clock
  /** Requests that were read and not answered yet; counted where that matters. */
  #unanswered = 0
  #ended = false
  #patient: unknown

  constructor(input: Readable, output: Writable, options: LineWireOptions) {
    this.#input = input
    this.#output = output
    this.#maxLineBytes = options.maxLineBytes ?? 256 * 1024 * 1024
    this.#onNoise = options.onNoise
    this.#patience = options.patience ?? 0
    this.#clock = options.clock ?? systemClock
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData)
    this.#input.once('end', this.#onEnd)
    this.#input.once('close', this.#onEnd)
    this.#input.on('error', this.#onFailure)
    this.#output.on('error', this.#onFailure)
  }

  /**
   * Resolves when the stream has taken the message. All messages of one turn of the event loop are
   * one write: waking the reader costs more than anything else here.
   */
  send(message: Message): Promise<void> {
    if (this.#closed || !this.#output.writable) return Promise.reject(notSent())
    try {
      this.#outgoing += `${JSON.stringify(message)}\n`
    } catch (error) {
      return Promise.reject(error)
    }
    this.#nextWrite ??= this.#write()
    if (this.#patience > 0 && isResponse(message)) this.#onAnswer()
    return this.#nextWrite
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#clock.clear(this.#patient)
    // What was sent before the end goes out before it.
    if (this.#output.writable && !this.#draining) this.#flush()
    this.#input.off('data', this.#onData)
    this.#input.off('end', this.#onEnd)
    this.#input.off('close', this.#onEnd)
    // A stdin that flows on would keep the process alive.
    this.#input.pause()
    this.#partial = []
    this.onclose?.()
  }

  async #write(): Promise<void> {
    await endOfTurn()
    // One write at a time: a reader that is slow holds one buffer of ours, not a queue of them.
    await this.#draining
    this.#nextWrite = undefined
    this.#flush()
  }

  #flush(): void {
    const text = this.#outgoing
    if (text === '') return
    this.#outgoing = ''
    if (!this.#output.writable) throw notSent()
    if (!this.#output.write(text)) this.#draining = this.#drained()
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#output.off('drain', done)
        this.#output.off('close', done)
        this.#draining = undefined
        resolve()
      }
      this.#output.on('drain', done)
      this.#output.on('close', done)
    })
  }

  readonly #onData = (chunk: Buffer): void => {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#onLine(this.#takeLine(chunk, start, end))
      start = end + 1
      if (this.#closed) return
    }
    if (start === chunk.length) return
    this.#partial.push(start === 0 ? chunk : chunk.subarray(start))
    this.#partialBytes += chunk.length - start
    if (this.#partialBytes > this.#maxLineBytes) {
      this.#onFailure(new Error(`A line is longer than ${this.#maxLineBytes} bytes`))
    }
  }

  /** Lines are decoded whole, so that a character cut in two by a chunk stays whole. */
  #takeLine(chunk: Buffer, start: number, end: number): string {
    if (this.#partial.length === 0) return chunk.toString('utf8', start, end)
    this.#partial.push(chunk.subarray(start, end))
    const line = Buffer.concat(this.#partial).toString('utf8')
    this.#partial = []
    this.#partialBytes = 0
    return line
  }

  #onLine(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (text === '') return
    let message: Message
    try {
      message = parseMessage(text)
    } catch (error) {
      this.#onNoiseLine(text, error as Error)
      return
    }
    this.#heard = true
    if (this.#patience > 0 && 'id' in message && 'method' in message) this.#unanswered += 1
    this.onmessage?.(message)
  }

  #onNoiseLine(text: string, error: Error): void {
    const first = this.#heard ? undefined : splitBanner(text)
    if (first) {
      this.#heard = true
      this.#onNoise?.(first.banner)
      this.onmessage?.(first.message)
      return
    }
    if (text.trimStart().startsWith('{')) this.onerror?.(error)
    this.#onNoise?.(text)
  }

  readonly #onEnd = (): void => {
    // The last line may lack its newline.
    if (!this.#closed && this.#partialBytes > 0) this.#onLine(this.#takeLine(empty, 0, 0))
    if (this.#unanswered === 0) void this.close()
    else if (!this.#ended) {
      this.#ended = true
      this.#patient = this.#clock.set(() => void this.close(), this.#patience)
    }
  }

  #onAnswer(): void {
    this.#unanswered -= 1
    if (this.#ended && this.#unanswered === 0) void this.close()
  }

  readonly #onFailure = (error: Error): void => {
    this.onerror?.(error)
    void this.close()
  }
}

/** When everything that has arrived was looked at. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function notSent(): Error {
  return new Error('The stream is closed; the message was not sent')
}

/**
 * A banner without a newline swallows the first answer. Only answers are looked for: a log line that
 * quotes a request must not become one.
 */
function splitBanner(text: string): { banner: string; message: Message } | undefined {
  const start = text.indexOf('{"')
  if (start < 1) return undefined
  try {
    const message = parseMessage(text.slice(start))
    return isResponse(message) ? { banner: text.slice(0, start), message } : undefined
  } catch {
    return undefined
  }
}
