import { others } from './call-tally.ts'

/** Counts by two labels, the first of which has a bound. */
export class LabelCounter {
  readonly #max: number
  readonly #counts = new Map<string, Map<string, number>>()

  constructor(max: number) {
    this.#max = max
  }

  add(first: string, second: string): void {
    const key = this.#counts.has(first) || this.#counts.size < this.#max ? first : others
    const counts = this.#counts.get(key) ?? new Map<string, number>()
    this.#counts.set(key, counts)
    counts.set(second, (counts.get(second) ?? 0) + 1)
  }

  *entries(): Generator<[first: string, second: string, count: number]> {
    for (const [first, counts] of this.#counts) {
      for (const [second, count] of counts) yield [first, second, count]
    }
  }
}
