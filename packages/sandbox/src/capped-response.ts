import { FetchRefusedError, isFetchRefused } from './errors.ts'

export interface Caps {
  /** Whom the answer is from, for a message. */
  readonly where: string
  readonly maxBytes: number
  /** Says what became of a body that broke. */
  toError(error: unknown): unknown
}

/** The same answer, whose body fails where it is longer than allowed. */
export function capResponse(response: Response, url: URL, caps: Caps): Response {
  const declared = Number(response.headers.get('content-length') ?? 0)
  if (declared > caps.maxBytes) {
    void response.body?.cancel().catch(() => {})
    throw tooLarge(caps)
  }
  const headers = new Headers(response.headers)
  // The body is decoded already.
  headers.delete('content-encoding')
  headers.delete('content-length')
  const { status, statusText } = response
  const body = response.body && hasBody(status) ? capBody(response.body, caps) : null
  const capped = new Response(body, { status, statusText, headers })
  Object.defineProperty(capped, 'url', { value: url.href })
  return capped
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304
}

function capBody(body: ReadableStream<Uint8Array>, caps: Caps): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let length = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        length += value.length
        if (length > caps.maxBytes) throw tooLarge(caps)
        controller.enqueue(value)
      } catch (error) {
        controller.error(caps.toError(error))
        // The body itself may be what broke.
        if (isFetchRefused(error)) await reader.cancel().catch(() => {})
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function tooLarge({ where, maxBytes }: Caps): FetchRefusedError {
  return new FetchRefusedError(
    'FETCH_TOO_LARGE',
    where,
    `It is longer than ${maxBytes} bytes (\`maxBytes\`).`,
  )
}
