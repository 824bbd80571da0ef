import { RuleError } from './errors.ts'
import type { Pattern } from './pattern.ts'

/** Reads a rule's text from left to right. */
export class RuleReader {
  readonly #text: string
  #at = 0
  #escapedLast = false

  constructor(text: string) {
    this.#text = text
  }

  get position(): number {
    return this.#at
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.#text.charAt(this.#at)
  }

  /** Whether the last character of the last pattern stood behind a backslash. */
  get escapedLast(): boolean {
    return this.#escapedLast
  }

  skipSpace(): void {
    while (isSpace(this.next)) this.#at += 1
  }

  /** Steps over the character, if it is the next one. */
  take(character: string): boolean {
    if (this.next !== character) return false
    this.#at += 1
    return true
  }

  /** Reads a pattern up to the first of the characters, without the space around it. */
  pattern(stops: string): Pattern {
    this.skipSpace()
    const pieces: string[] = []
    let piece = ''
    // What stands before it was meant: space behind it is space around the pattern.
    let meant = 0
    this.#escapedLast = false
    while (this.next !== '' && !stops.includes(this.next)) {
      if (this.take('*')) {
        pieces.push(piece)
        piece = ''
        meant = 0
        this.#escapedLast = false
        continue
      }
      const escaped = this.next === '\\'
      const character = escaped ? this.#escaped() : this.next
      piece += character
      this.#at += 1
      if (!escaped && isSpace(character)) continue
      meant = piece.length
      this.#escapedLast = escaped
    }
    return [...pieces, piece.slice(0, meant)]
  }

  /** Reads a member's path, up to the colon. */
  path(): string[] {
    this.skipSpace()
    const segments: string[] = []
    do {
      if (this.next === '*')
        throw this.error('the name of an argument (a rule for any arguments has no parentheses)')
      const [segment = ''] = this.pattern('.:,()*')
      if (segment === '') throw this.error('the name of an argument')
      segments.push(segment)
    } while (this.take('.'))
    return segments
  }

  error(expected: string, position: number = this.#at): RuleError {
    return new RuleError(this.#text, position, expected)
  }

  #escaped(): string {
    this.#at += 1
    if (this.next === '') throw this.error('a character after \\')
    return this.next
  }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r'
}
