import type { Requirements } from './requirements.ts'
import type { Check, SuiteRun } from './suite.ts'

/** How one scenario went. */
export interface Outcome {
  scenario: string
  passed: number
  failed: number
  ok: boolean
  /** What was wrong, and what was merely advised. */
  complaints: readonly string[]
}

/** How one target did. */
export interface Verdict {
  ok: boolean
  scored: readonly Outcome[]
  unscored: readonly Outcome[]
  /** Why the run as a whole does not count, if it does not. */
  problem?: string | undefined
}

/**
 * Stricter than the suite's own exit code, which lets a scored scenario pass that found nothing to
 * check: here each must have run and have confirmed something of its own, and the exit code must
 * agree.
 */
export function judge(requirements: Requirements, run: SuiteRun): Verdict {
  const outcome = (scenario: string): Outcome => weigh(scenario, run.scenarios.get(scenario))
  const scored = requirements.scored.map(outcome)
  const isExplained = run.exit === 0 || scored.some(({ failed }) => failed > 0)
  return {
    ok: run.exit === 0 && scored.every(({ ok }) => ok),
    scored,
    unscored: requirements.unscored.map(outcome),
    problem: isExplained
      ? undefined
      : `the suite ended with ${run.exit}:\n${run.output.slice(-4000)}`,
  }
}

function weigh(scenario: string, checks: readonly Check[] | undefined): Outcome {
  if (checks === undefined) {
    return { scenario, passed: 0, failed: 0, ok: false, complaints: ['did not run to its end'] }
  }
  const passes = checks.filter(({ status }) => status === 'SUCCESS')
  const failures = checks.filter(({ status }) => status === 'FAILURE')
  const warnings = checks.filter(({ status }) => status === 'WARNING')
  // Added to each scenario by the suite's harness: valid messages alone say nothing about it.
  const confirmed = passes.some(({ id }) => !id.startsWith('wire-schema-'))
  return {
    scenario,
    passed: passes.length,
    failed: failures.length,
    ok: confirmed && failures.length === 0,
    complaints: [
      ...(confirmed || failures.length > 0 ? [] : ['confirmed nothing']),
      ...failures.map((check) => complain('failed', check)),
      ...warnings.map((check) => complain('warned', check)),
    ],
  }
}

function complain(verb: string, { id, errorMessage }: Check): string {
  return `${verb} ${id}: ${(errorMessage ?? 'no message').slice(0, 500)}`
}
