import type { AssistantPart, ModelMessage, ToolResultPart } from '@mobius-mcp/models'

/** What an image costs, whatever its size: the most that a vendor counts for a common one. */
const imageTokens = 1600
/** Characters of text to a token, on average and rather too few. */
const charactersPerToken = 3.5
/** Of a document in base64: most of it is no text. */
const encodedPerToken = 16

type Part = AssistantPart | ToolResultPart

/** About how many tokens a conversation has: attachments count, and it is rather too many than too few. */
export function estimateTokens(messages: readonly ModelMessage[], ...others: unknown[]): number {
  const texts = others.reduce<number>((sum, other) => sum + textTokens(toText(other)), 0)
  return messages.reduce((sum, { content }) => sum + partsTokens(content), texts)
}

function partsTokens(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + partTokens(part), 0)
}

function partTokens(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return textTokens(part.text)
    case 'tool-call':
      return textTokens(part.name) + textTokens(JSON.stringify(part.arguments))
    case 'tool-result':
      return textTokens(part.name) + partsTokens(part.content)
    case 'file': {
      if (part.mediaType.startsWith('image/')) return imageTokens
      const { data } = part
      if (data instanceof URL) return imageTokens
      const encoded = typeof data === 'string' ? data.length : (data.length * 4) / 3
      return Math.ceil(encoded / encodedPerToken)
    }
    default:
      return part satisfies never
  }
}

function textTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
