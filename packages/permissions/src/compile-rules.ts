import { compileRule, type SubjectTest } from './compile-rule.ts'
import {
  compileDefaults,
  type Defaults,
  type OnlyReads,
  type RuleDecision,
  type Verdict,
} from './defaults.ts'
import { isUse } from './methods.ts'
import { parseRule } from './parse-rule.ts'
import type { CallLike, Rule, RuleSubject } from './rule.ts'

/** All rules of one configuration. The order within a list means nothing. */
export interface RuleLists {
  readonly allow?: readonly string[] | undefined
  readonly ask?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  /** What holds where no rule does, by what made the call; the rest is as it is by default. */
  readonly defaults?: Partial<Defaults> | undefined
}

/** What rules cannot know by themselves. */
export interface CompileRulesOptions {
  /**
   * True for calls that are known to write, run and reach nothing, e.g. of a built-in tool with
   * `readOnlyHint: true` and `openWorldHint: false`: by default, agents and their like need no rule
   * for them. Nothing is known to be so by default, for what a foreign server says of itself proves
   * nothing. Must not throw.
   */
  readonly onlyReads?: OnlyReads | undefined
}

/** Decides about a call, at once. Never throws. */
export type Rules = (call: CallLike) => RuleDecision

/**
 * Compiles rules. A deny goes before an ask, an ask before an allow, however special each is; where
 * no rule matches, the defaults hold. The deciding rule is always named.
 *
 * @throws RuleError for the first text that is not a rule.
 */
export function compileRules(lists: RuleLists, options: CompileRulesOptions = {}): Rules {
  const { allow = [], ask = [], deny = [], defaults } = lists
  const rules = [...listed('deny', deny), ...listed('ask', ask), ...listed('allow', allow)]
  const byDefault = compileDefaults(defaults, options.onlyReads)
  const of = perServer((server) => rules.flatMap((rule) => compileListed(rule, server)))
  return (call) => {
    const isHook = call.origin.kind === 'hook'
    for (const { matches, decision } of of(call.server)) {
      // Who configured a hook's call has said yes to it: nobody needs to be asked again.
      if (isHook && decision.decision === 'ask') continue
      if (matches(call)) return decision
    }
    return isUse(call.method) ? byDefault(call) : notAUse
  }
}

/**
 * Compiles one rule to a condition, e.g. for a hook's `if`. Of several values any may match, as in
 * a deny.
 *
 * @throws RuleError if the text is not a rule.
 */
export function compileRuleMatcher(text: string): (call: RuleSubject) => boolean {
  const rule = parseRule(text)
  const of = perServer((server) => compileRule(rule, server, 'any') ?? never)
  return (call) => of(call.server)(call)
}

const notAUse: RuleDecision = {
  decision: 'allow',
  rule: 'default: a request that only asks what is there',
}

const never: SubjectTest = () => false

interface ListedRule {
  readonly rule: Rule
  readonly decision: RuleDecision
}

function listed(decision: Verdict, texts: readonly string[]): ListedRule[] {
  return texts.map((text) => ({
    rule: parseRule(text),
    decision: { decision, rule: `${decision} ${text}` },
  }))
}

function compileListed({ rule, decision }: ListedRule, server: string) {
  const strictness = decision.decision === 'allow' ? 'all' : 'any'
  const matches = compileRule(rule, server, strictness)
  return matches ? [{ matches, decision }] : []
}

// Callers may name servers that do not exist, as many as they like.
const maxServers = 1000

/** Remembers what was made for each server. */
function perServer<T>(make: (server: string) => T): (server: string) => T {
  const made = new Map<string, T>()
  return (server) => {
    const known = made.get(server)
    if (known !== undefined) return known
    if (made.size >= maxServers) made.clear()
    const value = make(server)
    made.set(server, value)
    return value
  }
}
