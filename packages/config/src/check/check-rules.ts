import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, textOf } from '../read/source-tree.ts'

/** Has whoever knows their grammar read every rule. */
export function checkRules(
  root: SourceMap,
  checkRule: (text: string) => string | undefined,
  findings: Findings,
): void {
  for (const key of ['allow', 'ask', 'deny']) {
    const rules = memberOf(root.members.get('permissions'), key)
    if (rules?.kind !== 'list') continue
    for (const rule of rules.items) {
      const message = checkRule(textOf(rule) ?? '')
      if (message !== undefined) findings.wrongValue(rule, message, { code: 'WRONG_RULE' })
    }
  }
}
