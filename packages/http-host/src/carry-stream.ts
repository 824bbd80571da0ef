import type { EventStream, Sink } from './event-stream.ts'

/** Node's end of an HTTP exchange, as `@hono/node-server` hands it on: `ServerResponse`, or HTTP/2's. */
export interface NodeOutgoing {
  readonly destroyed: boolean
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  write(text: string): boolean
  end(): unknown
  destroy(): unknown
  on(event: 'drain' | 'close' | 'error', listener: () => void): unknown
}

/**
 * Answers with a stream of events: over Node's own response where there is one, for it takes half
 * the memory of a web stream, and cutting it prints nothing; else over a web stream.
 */
export function carryStream(stream: EventStream, outgoing: NodeOutgoing | undefined): Response {
  return outgoing ? overNode(stream, outgoing) : overWeb(stream)
}

function overNode(stream: EventStream, outgoing: NodeOutgoing): Response {
  // The client may be gone already; then no event will tell.
  if (outgoing.destroyed) stream.onClosed()
  else {
    outgoing.writeHead(200, stream.headers)
    const onClosed = () => stream.onClosed()
    outgoing.on('close', onClosed)
    outgoing.on('error', onClosed)
    outgoing.on('drain', () => stream.onReady())
    stream.connect({
      write: (text) => outgoing.write(text),
      end: () => outgoing.end(),
      cut: () => outgoing.destroy(),
    })
  }
  const sent = new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
  // `@hono/node-server` replaces `Response` by one of its own, and looks at the header only after
  // that one has been turned into a real one, which happens when its body is read.
  void sent.body
  return sent
}

const encoder = new TextEncoder()

function overWeb(stream: EventStream): Response {
  const body = new ReadableStream<Uint8Array>(new WebSource(stream), { highWaterMark: 0 })
  return new Response(body, { headers: stream.headers })
}

/** What a web stream reads from: it asks for more when its reader does. */
class WebSource implements Sink {
  readonly #stream: EventStream
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor(stream: EventStream) {
    this.#stream = stream
  }

  pull(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#controller) this.#stream.onReady()
    else {
      this.#controller = controller
      this.#stream.connect(this)
    }
  }

  cancel(): void {
    this.#stream.onClosed()
  }

  write(text: string): boolean {
    this.#controller?.enqueue(encoder.encode(text))
    return false
  }

  end(): void {
    this.#controller?.close()
  }

  cut(): void {
    this.#controller?.error(new Error('The reader was too slow for what this stream had to say.'))
  }
}
