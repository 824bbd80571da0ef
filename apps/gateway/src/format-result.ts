import type { CallResult } from '@mobius-mcp/protocol'

/** What a tool answered, for a person: texts as they are, what is no text as JSON without its bytes. */
export function formatResult(result: CallResult): string {
  const lines = result.content.map((block) => {
    if (block.type === 'text') return String(block.text)
    const { data: _, blob: _blob, ...rest } = block
    return JSON.stringify(rest)
  })
  return lines.length > 0 ? `${lines.join('\n')}\n` : ''
}
