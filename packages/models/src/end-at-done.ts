import type { Fetch } from './authorized-fetch.ts'

/**
 * Ends a Chat Completions stream at its `[DONE]`, as OpenAI's own SDK does. Some servers and proxies keep the connection open
 * behind it, and the answer would wait for that.
 */
export function endAtDone(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || !response.body) return response
    const body = response.body.pipeThrough(createEnd())
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

const done = 'data: [DONE]'

function createEnd(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder('latin1')
  // The mark may come in two pieces; what stands before it on its line is looked at too, since an answer may speak of it.
  let before = '\n'
  return new TransformStream({
    transform(piece, controller) {
      controller.enqueue(piece)
      const text = before + decoder.decode(piece, { stream: true })
      if (/[\r\n]data: ?\[DONE\]/.test(text)) controller.terminate()
      before = text.slice(-done.length - 1)
    },
  })
}
