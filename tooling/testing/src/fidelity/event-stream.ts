/** What an event stream is made of, parsed as the WHATWG says. */
export type StreamItem =
  | { kind: 'event'; type: string; isTyped: boolean; data: string; lastEventId: string }
  | { kind: 'comment'; text: string }

/** The events and comments of a stream of bytes; what is not complete when it ends is dropped. */
export async function* readEventStream(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamItem, void, undefined> {
  let block: Block = { data: [] }
  let lastEventId = ''
  for await (const line of readLines(chunks)) {
    const { field, value } = toField(line)
    if (line.startsWith(':')) {
      yield { kind: 'comment', text: value }
    } else if (line !== '') {
      addField(block, field, value)
    } else {
      lastEventId = block.id ?? lastEventId
      if (block.data.length > 0) {
        yield toEvent(block, lastEventId)
      }
      block = { data: [] }
    }
  }
}

/** All that an iterable gives. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) {
    collected.push(item)
  }
  return collected
}

interface Block {
  type?: string
  id?: string
  data: string[]
}

function addField(block: Block, field: string, value: string): void {
  if (field === 'data') {
    block.data.push(value)
  } else if (field === 'event') {
    block.type = value
  } else if (field === 'id' && !value.includes('\0')) {
    block.id = value
  }
}

function toEvent({ type = '', data }: Block, lastEventId: string): StreamItem {
  const isTyped = type !== ''
  return { kind: 'event', type: type || 'message', isTyped, data: data.join('\n'), lastEventId }
}

/** Splits at LF, CR and CRLF, also where a chunk ends between CR and LF. */
async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let endedInReturn = false
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    const fresh = endedInReturn && text.startsWith('\n') ? text.slice(1) : text
    endedInReturn = text === '' ? endedInReturn : text.endsWith('\r')
    const [head = '', ...lines] = fresh.split(/\r\n|\r|\n/)
    parts.push(head)
    for (const line of lines) {
      yield parts.join('')
      parts = [line]
    }
  }
}

function toField(line: string): { field: string; value: string } {
  const colon = line.indexOf(':')
  if (colon < 0) {
    return { field: line, value: '' }
  }
  const value = line.slice(colon + 1)
  return { field: line.slice(0, colon), value: value.startsWith(' ') ? value.slice(1) : value }
}
