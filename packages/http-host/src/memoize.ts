/**
 * Remembers what a function made of the texts it saw last. For headers: a client sends the same ones
 * with every request.
 */
export function memoize<T>(compute: (text: string) => T, limit = 256): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const value = compute(text)
    // Whoever sends ever new texts gains nothing and costs no memory.
    if (known.size >= limit) known.clear()
    known.set(text, value)
    return value
  }
}
