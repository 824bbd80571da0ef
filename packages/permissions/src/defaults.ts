import type { OriginKind } from '@mobius-mcp/protocol'
import type { CallLike, RuleSubject } from './rule.ts'

/** What a rule wants: a call goes ahead, needs somebody's yes, or is refused. */
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

/** True for a call that is known to change nothing, start nothing and reach nothing outside. */
export type OnlyReads = (call: RuleSubject) => boolean

interface Default {
  readonly decision: RuleDecision
  /** Somebody asked for it: nothing is exempt. */
  readonly given: boolean
}

/**
 * Decides by a call's origin alone. The strictest of the chain counts: who was sent may not more than
 * the sender. What only reads is exempt from defaults that nobody asked for.
 */
export function compileDefaults(
  given: Partial<Defaults> = {},
  onlyReads: OnlyReads = () => false,
): (call: CallLike) => RuleDecision {
  const defaults = new Map(
    (Object.keys(subjects) as OriginKind[]).map((kind) => [kind, defaultOf(kind, given[kind])]),
  )
  const of = (kind: OriginKind): Default => defaults.get(kind) ?? unknownOrigin
  return (call) => {
    const { origin } = call
    let found = of(origin.kind)
    // A hook acts for whoever configured it, not for the call that it looks at.
    let cause = origin.kind === 'hook' ? undefined : origin.cause
    for (; cause; cause = cause.cause) {
      const next = of(cause.kind)
      if (severityOf(next) > severityOf(found)) found = next
    }
    const strict = found.given || found.decision.decision === 'allow'
    return strict || !onlyReads(call) ? found.decision : readingDecision
  }
}

function defaultOf(kind: OriginKind, given: Verdict | undefined): Default {
  const decision = given ?? standardDefaults[kind]
  const rule = `default: ${subjects[kind]}${needs[decision]}`
  return { decision: { decision, rule }, given: given !== undefined }
}

function severityOf({ decision }: Default): number {
  return severity[decision.decision]
}

const readingDecision: RuleDecision = {
  decision: 'allow',
  rule: 'default: a tool that only reads',
}

const unknownOrigin: Default = {
  decision: {
    decision: 'deny',
    rule: 'default: what nobody is known to have made needs an allow rule',
  },
  given: true,
}
