import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import { showLines, showText } from '@mobius-mcp/telemetry'
import type { Screen } from './screen.ts'
import { describeCall, describeResult } from './turn-view.ts'

/** Shows what stands in a thread, as it was shown when it happened. */
export function showItem(item: JsonObject, screen: Screen): void {
  const parts = Array.isArray(item.content) ? item.content.filter(isObject) : []
  switch (item.type) {
    case 'user':
      return screen.line(`> ${textOf(parts).replaceAll('\n', '\n  ')}`, 'bold')
    case 'assistant':
      for (const part of parts) showPart(part, screen)
      return
    case 'result': {
      const text = parts.map((part) => String(part.text ?? `[${part.mediaType}]`)).join('\n')
      const style = item.isError === true ? 'red' : 'dim'
      return screen.line(describeResult({ name: item.name, isError: item.isError, text }), style)
    }
    case 'summary':
      return screen.line(`Summary of what came before: ${showLines(String(item.text))}`, 'dim')
    case 'end':
      if (typeof item.text === 'string') screen.line(showText(item.text, 2000), 'yellow')
      return
    default:
      // There may be more kinds than are known here.
      return
  }
}

function showPart(part: JsonObject, screen: Screen): void {
  switch (part.type) {
    case 'text':
      return screen.line(showLines(String(part.text)))
    case 'reasoning':
      return screen.line(showLines(String(part.text)), 'dim')
    case 'tool-call':
      return screen.line(describeCall(part.name, part.arguments), 'cyan')
    case 'file':
      return screen.line(`[${showText(String(part.mediaType), 80)}]`, 'dim')
    default:
      return
  }
}

function textOf(parts: readonly JsonObject[]): string {
  return parts
    .map(({ type, text, mediaType }) =>
      type === 'text' ? showLines(String(text)) : `[${showText(String(mediaType), 80)}]`,
    )
    .join('\n')
}
