import type { Origin, OriginKind } from '@mobius-mcp/protocol'

export type Verdict = 'allow' | 'ask' | 'deny'

/** What the rules say about a call, and which of them said it. */
export interface RuleDecision {
  readonly decision: Verdict
  /** E.g. `deny github/delete_*`, or `default: a client's own call`. */
  readonly rule: string
}

/** What holds for calls that no rule is about, by what made them. */
export type Defaults = Readonly<Record<OriginKind, Verdict>>

/**
 * A client's own call goes through, and a hook's call was configured by whoever may; what works by
 * itself needs an `allow` rule.
 */
export const standardDefaults: Defaults = {
  client: 'allow',
  hook: 'allow',
  agent: 'deny',
  workflow: 'deny',
  task: 'deny',
  script: 'deny',
}

const subjects: Readonly<Record<OriginKind, string>> = {
  client: "a client's own call",
  hook: "a hook's own call",
  agent: 'what an agent does',
  workflow: 'what a workflow does',
  task: 'what a task does',
  script: 'what a script does',
}

const needs: Readonly<Record<Verdict, string>> = {
  allow: '',
  ask: ' needs an approval',
  deny: ' needs an allow rule',
}

const severity: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }

/** Decides by a call's origin alone. The strictest of the chain counts: who was sent may not more than the sender. */
export function compileDefaults(given: Partial<Defaults> = {}): (origin: Origin) => RuleDecision {
  const decisions = new Map(
    (Object.keys(subjects) as OriginKind[]).map((kind) => {
      const decision = given[kind] ?? standardDefaults[kind]
      return [kind, { decision, rule: `default: ${subjects[kind]}${needs[decision]}` }] as const
    }),
  )
  const of = (kind: OriginKind): RuleDecision => decisions.get(kind) ?? unknownOrigin
  return (origin) => {
    let found = of(origin.kind)
    // A hook acts for whoever configured it, not for the call that it looks at.
    if (origin.kind === 'hook') return found
    for (let cause = origin.cause; cause; cause = cause.cause) {
      const next = of(cause.kind)
      if (severity[next.decision] > severity[found.decision]) found = next
    }
    return found
  }
}

const unknownOrigin: RuleDecision = {
  decision: 'deny',
  rule: 'default: what nobody is known to have made needs an allow rule',
}
