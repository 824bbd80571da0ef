import type { AssistantPart, FilePart } from '@mobius-mcp/models'
import type { JsonObject } from '@mobius-mcp/protocol'

/** What a model said for others, as content blocks of MCP. */
export function toContent(parts: readonly AssistantPart[]): JsonObject[] {
  return parts.flatMap((part, index): JsonObject[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    return part.type === 'file' ? [toBlock(part, index)] : []
  })
}

function toBlock({ mediaType: mimeType, data, filename }: FilePart, index: number): JsonObject {
  const [kind] = mimeType.split('/')
  const encoded = String(data)
  if (kind === 'image' || kind === 'audio') return { type: kind, data: encoded, mimeType }
  const uri = `attachment:///${encodeURIComponent(filename ?? `file-${index + 1}`)}`
  return { type: 'resource', resource: { uri, mimeType, blob: encoded } }
}
