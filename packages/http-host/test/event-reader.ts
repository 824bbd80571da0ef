/** One block of a stream: an event, or comments. */
export interface Block {
  event?: string
  id?: string
  data?: string
  retry?: string
  comment?: string
}

/** Reads a stream of events block by block, as it came. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    const type = response.headers.get('content-type')
    if (!response.body || type !== 'text/event-stream') {
      throw new Error(`Expected a stream of events, received ${response.status} ${type}`)
    }
    this.#reader = response.body.getReader()
  }

  /** The next block; `undefined` at the end. */
  async next(): Promise<Block | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end !== -1) {
        const block = parseBlock(this.#text.slice(0, end))
        this.#text = this.#text.slice(end + 2)
        return block
      }
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }

  /** The next message, over comments and events without data; `undefined` at the end. */
  async message(): Promise<Record<string, unknown> | undefined> {
    for (;;) {
      const block = await this.next()
      if (!block) return undefined
      if (block.data) return JSON.parse(block.data) as Record<string, unknown>
    }
  }

  /** All that is left. */
  async rest(): Promise<Block[]> {
    const blocks: Block[] = []
    for (let block = await this.next(); block; block = await this.next()) blocks.push(block)
    return blocks
  }

  /** The client goes away. */
  async cancel(): Promise<void> {
    await this.#reader.cancel()
  }
}

function parseBlock(text: string): Block {
  const block: Block = {}
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon) || 'comment'
    block[name as keyof Block] = line.slice(colon + 1).trim()
  }
  return block
}
