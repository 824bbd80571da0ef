import type { Readable, Writable } from 'node:stream'
import type { Message } from './message.ts'
import { parseMessage } from './parse-message.ts'
import type { Wire } from './wire.ts'

export interface LineWireOptions {
  /** A longer line ends the wire; 256 MiB by default. */
  maxLineBytes?: number | undefined
  /** Told of each line that is no message: banners, log lines. Such lines are skipped. */
  onNoise?: ((line: string) => void) | undefined
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
  #flushed: Promise<void> | undefined
  #closed = false

  constructor(input: Readable, output: Writable, options: LineWireOptions) {
    this.#input = input
    this.#output = output
    this.#maxLineBytes = options.maxLineBytes ?? 256 * 1024 * 1024
    this.#onNoise = options.onNoise
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData)
    this.#input.once('end', this.#onEnd)
    this.#input.once('close', this.#onEnd)
    this.#input.once('error', this.#onFailure)
    this.#output.once('error', this.#onFailure)
  }

  /** Resolves when the stream has taken the message; many messages of one turn are one write. */
  send(message: Message): Promise<void> {
    if (this.#closed || !this.#output.writable) {
      return Promise.reject(new Error('The stream is closed; the message was not sent'))
    }
    this.#outgoing += `${JSON.stringify(message)}\n`
    this.#flushed ??= Promise.resolve().then(() => this.#flush())
    return this.#flushed
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#input.off('data', this.#onData)
    this.#input.off('end', this.#onEnd)
    this.#input.off('close', this.#onEnd)
    this.onclose?.()
  }

  #flush(): Promise<void> | undefined {
    this.#flushed = undefined
    const text = this.#outgoing
    this.#outgoing = ''
    if (this.#output.write(text)) return undefined
    return new Promise((resolve) => {
      const done = () => {
        this.#output.off('drain', done)
        this.#output.off('close', done)
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
      if (text.trimStart().startsWith('{')) this.onerror?.(error as Error)
      this.#onNoise?.(text)
      return
    }
    this.onmessage?.(message)
  }

  readonly #onEnd = (): void => void this.close()

  readonly #onFailure = (error: Error): void => {
    this.onerror?.(error)
    void this.close()
  }
}
