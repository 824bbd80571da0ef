import { StringDecoder } from 'node:string_decoder'

const kept = 64 * 1024
const longestLine = 4096

/** Keeps the last 64 KiB of what a child says on stderr, and tells each line as it comes. */
export class StderrTail {
  readonly #onLine: ((line: string) => void) | undefined
  readonly #decoder = new StringDecoder('utf8')
  #chunks: Buffer[] = []
  #bytes = 0
  #line = ''

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine
  }

  readonly push = (chunk: Buffer): void => {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= kept) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0
    }
    if (this.#onLine) this.#tell(this.#decoder.write(chunk), this.#onLine)
  }

  /** The last lines, at most `limit` characters. */
  text(limit: number): string {
    const text = Buffer.concat(this.#chunks).toString('utf8').trimEnd()
    if (text.length <= limit) return text.trimStart()
    const cut = text.slice(-limit)
    return `…${cut.slice(cut.indexOf('\n') + 1)}`
  }

  #tell(text: string, onLine: (line: string) => void): void {
    const lines = (this.#line + text).split('\n')
    this.#line = (lines.pop() ?? '').slice(-longestLine)
    for (const line of lines) if (line.trim() !== '') onLine(line)
  }
}
