import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import { showLines, showText } from '@mobius-mcp/telemetry'
import type { Screen } from './screen.ts'
import { describeCall, describeResult } from './turn-view.ts'

/** Shows what stands in a thread, as it was shown when it happened. */
export function showItem(item: JsonObject, screen: Screen): void {
  const parts = Array.isArray(item.content) ? item.content.filter(isObject) : []
  switch (item.type) {
    case 'user':
      screen.line(`> ${textOf(parts).replaceAll('\n', '\n  ')}`, 'bold')
      break
    case 'assistant':
      for (const part of parts) showPart(part, screen)
      break
    case 'result': {
      const said = { name: item.name, isError: item.isError, text: textOf(parts) }
      screen.line(describeResult(said), item.isError === true ? 'red' : 'dim')
      break
    }
    case 'summary':
      screen.line(`Summary of what came before: ${showLines(String(item.text))}`, 'dim')
      break
    case 'end':
      if (typeof item.text === 'string') screen.line(showText(item.text, 2000), 'yellow')
      break
    default:
      // There may be more kinds than are known here.
      break
  }
}

function showPart(part: JsonObject, screen: Screen): void {
  switch (part.type) {
    case 'text':
      screen.line(showLines(String(part.text)))
      break
    case 'reasoning':
      screen.line(showLines(String(part.text)), 'dim')
      break
    case 'tool-call':
      screen.line(describeCall(part.name, part.arguments), 'cyan')
      break
    case 'file':
      screen.line(`[${showText(String(part.mediaType), 80)}]`, 'dim')
      break
    default:
      break
  }
}

function textOf(parts: readonly JsonObject[]): string {
  return parts
    .map(({ type, text, mediaType }) =>
      type === 'text' ? showLines(String(text)) : `[${showText(String(mediaType), 80)}]`,
    )
    .join('\n')
}
