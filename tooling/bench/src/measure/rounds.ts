/**
 * Takes one sample of each subject in turn, round after round (A B C, B C A, …), so that what slows the machine
 * for a while, or favours whoever comes first, meets all of them.
 */
export async function interleave<S, T>(
  subjects: readonly S[],
  rounds: number,
  sample: (subject: S) => Promise<T>,
): Promise<Map<S, T[]>> {
  const samples = new Map<S, T[]>(subjects.map((subject) => [subject, []]))
  for (let round = 0; round < rounds; round++) {
    const shift = round % Math.max(1, subjects.length)
    for (const subject of [...subjects.slice(shift), ...subjects.slice(0, shift)]) {
      samples.get(subject)?.push(await sample(subject))
    }
  }
  return samples
}
