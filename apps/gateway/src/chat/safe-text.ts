import { showLines } from '@mobius-mcp/telemetry'

/** Makes text that comes in pieces safe to print, whatever stands at their seams. */
export interface SafeText {
  /** What can be printed of it so far. */
  add(piece: string): string
  /** What was held back, because its other half never came. */
  end(): string
}

/** Begins a text. */
export function createSafeText(): SafeText {
  let held = ''
  return {
    add(piece) {
      const text = held + piece
      // Half a character, and half an end of a line, wait for the other half.
      const [end = ''] = /[\ud800-\udbff\r]$/.exec(text) ?? []
      held = end
      return showLines(text.slice(0, text.length - end.length))
    },
    end() {
      const text = held
      held = ''
      return showLines(text)
    },
  }
}
