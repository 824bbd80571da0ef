import { withoutSecrets } from './plain-text.ts'

/** More of a refusal is not read. */
const longest = 64 * 1024

/**
 * An answer that says no, read to the end so that its socket is free, and without the token that it
 * may repeat: what it says will be shown.
 */
export async function readRefusal(
  response: Response,
  token: string | undefined,
): Promise<Response> {
  const { status, statusText } = response
  const clean = (text: string) => withoutSecrets(text, [token])
  const headers = new Headers()
  for (const [name, value] of response.headers) headers.append(name, clean(value))
  headers.delete('content-length')
  headers.delete('content-encoding')
  return new Response(clean(await readExcerpt(response.body)), { status, statusText, headers })
}

async function readExcerpt(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= longest) break
    }
  } catch {
    // What came is what there is.
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
