import { stripVTControlCharacters } from 'node:util'

// Control characters, and those that hide or reorder text.
const unreadable = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu

/** Text of somebody else's as one line that is safe to show. */
export function toPlainText(text: string, limit = 200): string {
  const line = stripVTControlCharacters(text.slice(0, limit * 4))
    .replace(unreadable, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return line.length > limit ? `${line.slice(0, limit)}…` : line
}

/** Shorter values are no secrets, and would be found everywhere. */
const shortest = 6

/** The text without these values, as they are and as they stand in a form. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets
    .filter((secret) => secret !== undefined && secret.length >= shortest)
    .flatMap((secret) => [String(secret), encodeURIComponent(String(secret))])
    .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
}

/** What a failed `fetch` says, down to its cause. */
export function toNetworkProblem(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const source = cause instanceof Error && error instanceof TypeError ? cause : error
  return toPlainText(source instanceof Error ? source.message : String(source), 300)
}
