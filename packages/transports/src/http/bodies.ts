import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Who is told what an event stream holds. */
export interface EventSink {
  onEvent(event: EventSourceMessage): void
  /** The server says how long to wait before opening the stream again, in milliseconds. */
  onRetry?(delay: number): void
}

/**
 * Reads an event stream to its end. Events are parsed as the WHATWG has it: any line end, many
 * `data` lines, comments, a byte order mark; an event without its closing blank line is dropped.
 *
 * @throws what broke the stream, or that an event is longer than `limit`.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  limit: number,
  sink: EventSink,
): Promise<void> {
  const decoder = new TextDecoder()
  let tooLong = false
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: (event) => sink.onEvent(event),
    onRetry: (delay) => sink.onRetry?.(delay),
    onError: (error) => {
      tooLong ||= error.type === 'max-buffer-size-exceeded'
    },
  })
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (tooLong) throw new Error(`an event is longer than ${limit} bytes`)
  }
}

/**
 * Reads a body as text.
 *
 * @throws what broke it, or that it is longer than `limit`.
 */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > limit) throw new Error(`the body is longer than ${limit} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** A body's media type, in lower case, without parameters. */
export function mediaType(response: Response): string {
  const [essence = ''] = (response.headers.get('content-type') ?? '').split(';')
  return essence.trim().toLowerCase()
}
