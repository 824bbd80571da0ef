/** How much one subject's samples are of another's, best against best, and how far the rounds differed. */
export interface Ratio {
  best: number
  lowest: number
  highest: number
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const high = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? (high + (sorted[middle - 1] ?? Number.NaN)) / 2 : high
}

/** Of speeds the most, of times the least: what is left when nothing else used the machine. */
export function best(values: readonly number[], better: 'more' | 'less'): number {
  return better === 'more' ? Math.max(...values) : Math.min(...values)
}

/** Samples of the same index were taken in the same round. */
export function ratioOf(
  samples: readonly number[],
  reference: readonly number[],
  better: 'more' | 'less',
): Ratio {
  const byRound = samples.map((value, round) => value / (reference[round] ?? Number.NaN))
  return {
    best: best(samples, better) / best(reference, better),
    lowest: Math.min(...byRound),
    highest: Math.max(...byRound),
  }
}
