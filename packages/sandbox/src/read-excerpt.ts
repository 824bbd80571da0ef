/**
 * Reading what a refusal says. A subpath of its own, so that whoever only reads does not load what
 * reaches out.
 *
 * @packageDocumentation
 */

const longest = 64 * 1024

/**
 * The beginning of a body that explains a refusal, as text: no more than the chunks that hold its first
 * 64 KiB. What breaks the body is not interesting: what came until then is what there is.
 */
export async function readExcerpt(body: ReadableStream<Uint8Array> | null): Promise<string> {
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
