import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { FetchLike } from '@mobius-mcp/sandbox'

/** What came of asking for a metadata document. */
export type FoundDocument =
  | { readonly kind: 'document'; readonly document: JsonObject }
  /** There is none at this place. */
  | { readonly kind: 'none' }

/**
 * Fetches a metadata document.
 *
 * @throws what kept it from being known whether there is one: network, refusal, a failing server.
 */
export async function fetchDocument(fetch: FetchLike, url: URL): Promise<FoundDocument> {
  const response = await fetch(url, { headers: { accept: 'application/json' } })
  if (!response.ok) {
    await response.body?.cancel()
    if (response.status >= 500) throw new Error(`${url.origin} answered HTTP ${response.status}`)
    return { kind: 'none' }
  }
  const text = await response.text()
  const document = parseObject(text)
  // A page for people, as some servers have for every path.
  return document ? { kind: 'document', document } : { kind: 'none' }
}

/** A JSON object in a text; `undefined` where it is none. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A member that is text, and not empty. */
export function textIn(document: JsonObject, name: string): string | undefined {
  const value = document[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A member that is a list of texts. */
export function textsIn(document: JsonObject, name: string): readonly string[] | undefined {
  const value = document[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}
