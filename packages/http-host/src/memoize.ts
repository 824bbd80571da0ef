/**
 * Remembers what a function made of the texts it saw last. For headers: a client sends the same ones
 * with every request.
 */
export function memoize<T>(compute: (text: string) => T, limit = 256): (text: string) => T {
  const known = new Map<string, T>()
  // Comparing with the last text takes less than finding it by its hash.
  let lastText: string | undefined
  let lastValue: T
  return (text) => {
    if (text === lastText) return lastValue
    const value = recall(text)
    lastText = text
    lastValue = value
    return value
  }

  function recall(text: string): T {
    const found = known.get(text)
    if (found !== undefined) return found
    const value = compute(text)
    // Whoever sends ever new texts gains nothing and costs no memory.
    if (known.size >= limit) known.clear()
    known.set(text, value)
    return value
  }
}
