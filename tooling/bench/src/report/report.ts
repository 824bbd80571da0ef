/** What was found about one promise of the design. */
export interface Check {
  what: string
  budget: string
  measured: string
  verdict: Verdict
}

/** `not measured`: the subject does not exist yet, or a peer it is compared with is not installed. */
type Verdict = 'met' | 'missed' | 'not measured'

export interface Table {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

/** One row of the table in design.md section 6, or one comparison beside it. */
export interface RowReport {
  title: string
  checks: Check[]
  tables: Table[]
  notes: string[]
}

/** A check whose value may be missing. */
export function toCheck(
  what: string,
  budget: string,
  value: { measured: string; met: boolean } | undefined,
): Check {
  if (value === undefined) return { what, budget, measured: '–', verdict: 'not measured' }
  return { what, budget, measured: value.measured, verdict: value.met ? 'met' : 'missed' }
}
