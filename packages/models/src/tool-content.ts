import type { CallResult, JsonObject } from '@mobius-mcp/protocol'
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js'
import type { FilePart, TextPart } from './request.ts'

type Part = TextPart | FilePart

/** Media types that models take as files; which of them a model takes is for its dialect to say. */
const files = /^(image|audio)\/|^application\/pdf$/
const texts =
  /^text\/|[/+](json|xml|yaml|javascript|toml)$|^application\/(x-yaml|x-sh|sql|graphql)$/

/**
 * What a tool returned, as a model is shown it. Nothing is left out without a word: what a model cannot take is named, a link
 * is told as a link, and an embedded resource is shown whoever it is marked for, unless for people alone.
 */
export function toModelContent(result: CallResult): (TextPart | FilePart)[] {
  // Results are passed through unchecked; a block that is not what it says to be is told as it came.
  const parts = result.content.filter(isForModels).map((block) => toPart(block) ?? asJson(block))
  // A tool need not repeat as text what it structured.
  if (parts.length > 0 || result.structuredContent === undefined) return parts
  return [asJson(result.structuredContent)]
}

function toPart(given: JsonObject): Part | undefined {
  const block = given as Partial<ContentBlock>
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? { type: 'text', text: block.text } : undefined
    case 'image':
    case 'audio':
      return typeof block.data === 'string' && typeof block.mimeType === 'string'
        ? { type: 'file', mediaType: block.mimeType, data: block.data }
        : undefined
    case 'resource':
      return isObject(block.resource) ? toResource(block.resource) : undefined
    case 'resource_link': {
      const words = [block.title ?? block.name, block.mimeType, block.description].filter(Boolean)
      return { type: 'text', text: `[Resource ${block.uri} (${words.join('; ')}), not read yet]` }
    }
    default:
      return undefined
  }
}

function toResource({ uri, mimeType, text, blob }: JsonObject): Part | undefined {
  if (typeof text === 'string') return { type: 'text', text }
  if (typeof blob !== 'string') return undefined
  const mediaType = String(mimeType ?? '')
  if (files.test(mediaType)) {
    return { type: 'file', mediaType, data: blob, filename: nameOf(String(uri)) }
  }
  const bytes = Buffer.from(blob, 'base64')
  if (texts.test(mediaType)) return { type: 'text', text: bytes.toString('utf8') }
  const kind = mediaType || 'of unknown type'
  return {
    type: 'text',
    text: `[Resource ${uri} (${kind}, ${bytes.length} bytes) cannot be shown to a model]`,
  }
}

function asJson(value: unknown): TextPart {
  return { type: 'text', text: JSON.stringify(value) }
}

function isForModels({ annotations }: JsonObject): boolean {
  const audience = isObject(annotations) ? annotations.audience : undefined
  return !Array.isArray(audience) || audience.length === 0 || audience.includes('assistant')
}

function nameOf(uri: string): string {
  return uri.split(/[?#]/)[0]?.split('/').findLast(Boolean) ?? uri
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
