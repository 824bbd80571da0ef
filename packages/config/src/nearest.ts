/**
 * The candidate that was probably meant: the same but for upper and lower case, punctuation, or a
 * slip or two of the finger, `most` at most. `undefined` when none comes near.
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  most: number = Number.POSITIVE_INFINITY,
): string | undefined {
  const plain = simplify(word)
  let best: { candidate: string; slips: number } | undefined
  for (const candidate of candidates) {
    const slips = countSlips(plain, simplify(candidate))
    if (slips <= Math.min(most, allowedSlips(candidate)) && (!best || slips < best.slips)) {
      best = { candidate, slips }
    }
  }
  return best?.candidate
}

// Longer words are compared no further: nobody's slip is worth the time.
const longest = 64

function simplify(word: string): string {
  return word
    .slice(0, longest)
    .toLowerCase()
    .replaceAll(/[-_.\s]/g, '')
}

function allowedSlips(candidate: string): number {
  // Of one letter, any other is a slip away.
  if (candidate.length <= 1) return 0
  return candidate.length <= 3 ? 1 : Math.min(3, Math.floor(candidate.length / 3))
}

/** Letters added, left out, replaced or swapped with their neighbour (optimal string alignment). */
function countSlips(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
