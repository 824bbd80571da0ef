/**
 * A pattern in which `*` stands for any text, slashes too, as a predicate. Nothing else in it is
 * special, and it takes linear time: what is matched are names that a server chose.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return (text) => text === pattern
  return (text) => {
    if (!(text.startsWith(first) && text.endsWith(last))) return false
    let from = first.length
    const end = text.length - last.length
    for (const part of rest) {
      const at = text.indexOf(part, from)
      if (at < 0) return false
      from = at + part.length
    }
    return from <= end
  }
}
