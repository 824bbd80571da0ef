import { stripVTControlCharacters } from 'node:util'

// Control characters, and those that hide or reorder text.
const unreadable = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu

/** Text of somebody else's as one line that is safe to show: no control characters, cut at `limit`. */
export function toPlainText(text: string, limit: number): string {
  const line = stripVTControlCharacters(text.slice(0, limit * 4))
    .replace(unreadable, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return line.length > limit ? `${line.slice(0, limit)}…` : line
}

/** The same for the body of an HTTP answer, which may be a page. */
export function toPlainBody(text: string, limit: number): string {
  const isPage = /^\s*</.test(text)
  return toPlainText(
    isPage ? text.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ') : text,
    limit,
  )
}
