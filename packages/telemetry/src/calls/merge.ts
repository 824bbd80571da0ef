/** Makes one sequence of several, each of which is in order. */
export async function* merge<T>(
  sources: readonly AsyncIterator<T>[],
  timeOf: (item: T) => number,
): AsyncGenerator<T, void, undefined> {
  const heads = new Map<AsyncIterator<T>, T>()
  const advance = async (source: AsyncIterator<T>): Promise<void> => {
    const next = await source.next()
    if (next.done) heads.delete(source)
    else heads.set(source, next.value)
  }
  try {
    for (const source of sources) await advance(source)
    while (heads.size > 0) {
      const [source, item] = [...heads].reduce((a, b) => (timeOf(b[1]) < timeOf(a[1]) ? b : a))
      yield item
      await advance(source)
    }
  } finally {
    // Whoever stops in the middle leaves no file open.
    for (const source of heads.keys()) await source.return?.()
  }
}
