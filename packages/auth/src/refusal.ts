import { readExcerpt } from '@mobius-mcp/sandbox/read-excerpt'
import { withoutSecrets } from './plain-text.ts'

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
