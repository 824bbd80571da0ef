/** One complete HTTP/1.1 response. */
export interface HttpResponse {
  status: number
  /** The status line and the header lines. */
  head: string
  body: string
  /** How many bytes it took. */
  length: number
}

interface Body {
  bytes: Buffer
  end: number
}

/** Reads the response at the start of `bytes`, or answers `undefined` while bytes are missing. */
export function parseResponse(bytes: Buffer): HttpResponse | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const body = readBody(bytes, headEnd + 4, head)
  if (body === undefined) return undefined
  return {
    status: Number(head.slice(9, 12)),
    head,
    body: body.bytes.toString('utf8'),
    length: body.end,
  }
}

/** The value of a header, or `undefined`; `name` is lower case. */
export function headerOf(head: string, name: string): string | undefined {
  const start = head.toLowerCase().indexOf(`\r\n${name}:`)
  if (start === -1) return undefined
  const end = head.indexOf('\r\n', start + 2)
  return head.slice(start + name.length + 3, end === -1 ? undefined : end).trim()
}

function readBody(bytes: Buffer, start: number, head: string): Body | undefined {
  if (headerOf(head, 'transfer-encoding') === 'chunked') return readChunks(bytes, start)
  const end = start + Number(headerOf(head, 'content-length') ?? 0)
  return bytes.length < end ? undefined : { bytes: bytes.subarray(start, end), end }
}

function readChunks(bytes: Buffer, start: number): Body | undefined {
  const chunks: Buffer[] = []
  let position = start
  while (true) {
    const lineEnd = bytes.indexOf('\r\n', position)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', position, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { bytes: joinChunks(chunks), end }
    chunks.push(bytes.subarray(lineEnd + 2, end - 2))
    position = end
  }
}

function joinChunks(chunks: Buffer[]): Buffer {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}
