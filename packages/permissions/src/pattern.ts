/** A text in which `*` stands for any text, as the literal pieces between the stars. */
export type Pattern = readonly string[]

/** True where the pattern is `*` alone. */
export function isAnything(pattern: Pattern): boolean {
  return pattern.length > 1 && pattern.every((piece) => piece === '')
}

/** The pattern as one text; its stars are lost among those that are meant as they are. */
export function textOf(pattern: Pattern): string {
  return pattern.join('*')
}

/** A pattern as a predicate. Linear in the text: what is matched was chosen by others. */
export function compilePattern(pattern: Pattern): (text: string) => boolean {
  const [first = '', ...rest] = pattern
  const last = rest.pop()
  if (last === undefined) return (text) => text === first
  if (rest.length === 0 && last === '') return (text) => text.startsWith(first)
  return (text) => {
    if (!(text.startsWith(first) && text.endsWith(last))) return false
    let from = first.length
    const end = text.length - last.length
    for (const piece of rest) {
      const at = text.indexOf(piece, from)
      if (at < 0) return false
      from = at + piece.length
    }
    return from <= end
  }
}
