/**
 * Rules to allow, ask or deny a call, with the rule that decided; and who may change such things.
 *
 * @packageDocumentation
 */

// Rules
export type { CompileRulesOptions, RuleLists, Rules } from './compile-rules.ts'
export { compileRuleMatcher, compileRules } from './compile-rules.ts'
export type { Defaults, OnlyReads, RuleDecision, Verdict } from './defaults.ts'
export { standardDefaults } from './defaults.ts'
export type { CallLike, RuleSubject } from './rule.ts'

// Single rules
export type { Pattern } from './pattern.ts'
export type { ArgumentMatcher, Rule } from './rule.ts'
export { concernsServer } from './compile-rule.ts'
export { parseRule, toRule } from './parse-rule.ts'

// Operators
export type { Asker, CallOrigin } from './operator.ts'
export { isSelfApproving, operatorScope, requireOperator, requireOwnHands } from './operator.ts'

// Errors
export type { RuleErrorCode } from './errors.ts'
export { isRuleError, RuleError, ruleErrors } from './errors.ts'
