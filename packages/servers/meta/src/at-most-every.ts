/** Calls back soon after it was asked to, but at most once in so many milliseconds. */
export function atMostEvery(milliseconds: number, callback: () => void): () => void {
  let waiting = false
  return () => {
    if (waiting) return
    waiting = true
    const timer = setTimeout(() => {
      waiting = false
      callback()
    }, milliseconds)
    timer.unref?.()
  }
}
