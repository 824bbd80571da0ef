import type { CallResult, JsonObject } from '@mobius-mcp/protocol'

/** A result is shown whole up to so many bytes. */
export const resultLimit = 51_200

/** The beginning of a text, of at most so many bytes of UTF-8, that ends with a whole character. */
export function cutText(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  const buffer = Buffer.from(text)
  let end = bytes
  // Bytes that begin with 10 go on with a character.
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return buffer.toString('utf8', 0, end)
}

/** Whether there is more in a result than a conversation should carry. Images and audio have their own measure. */
export function isTooLarge(result: CallResult, limit: number): boolean {
  return result.content.reduce((sum, block) => sum + sizeOf(block), 0) > limit
}

/** The same result, cut to its limit, saying where the rest is. */
export function shorten(result: CallResult, uri: string, limit: number): CallResult {
  let left = limit
  const content: JsonObject[] = []
  for (const block of result.content) {
    const size = sizeOf(block)
    if (size <= left) content.push(block)
    else if (block.type === 'text') {
      const text = cutText(String(block.text), left)
      if (text !== '') content.push({ ...block, text })
    } else content.push({ type: 'text', text: `[${String(block.type)}, too large to be shown]` })
    left = Math.max(0, left - size)
  }
  content.push({
    type: 'text',
    text: `[This was too large to be shown whole. All of it: read_resource {"uri": ${JSON.stringify(uri)}}]`,
  })
  // What is structured says the same once more, and would be as large.
  const { structuredContent: _large, ...rest } = result
  return { ...rest, content }
}

/** All of a result, as a resource holds it. */
export function toSpilledText(result: JsonObject): string {
  const blocks = Array.isArray(result.content) ? result.content : []
  const texts = blocks.map((block: JsonObject) =>
    block.type === 'text' ? String(block.text) : JSON.stringify(block),
  )
  return texts.join('\n')
}

function sizeOf(block: JsonObject): number {
  if (block.type === 'text') return Buffer.byteLength(String(block.text))
  return block.type === 'image' || block.type === 'audio'
    ? 0
    : Buffer.byteLength(JSON.stringify(block))
}
