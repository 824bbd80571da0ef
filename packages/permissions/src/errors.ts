/** What may be wrong with a rule, by its permanent name. */
export const ruleErrors = {
  /** The text is not a rule. */
  RULE_INVALID: 'Could not read the rule',
} as const

/** A permanent name for what is wrong. */
export type RuleErrorCode = keyof typeof ruleErrors

const form =
  'A rule is server, server/tool, server/tool(argument: value, …) or server:method(member: value, …), with * for any text and \\ before a character that is meant as it is.'

/** A text that is not a rule. Its message is meant for whoever wrote it. */
export class RuleError extends Error {
  readonly code: RuleErrorCode = 'RULE_INVALID'
  /** The text as it was given. */
  readonly text: string
  /** Where in the text it goes wrong, from 0; its length where something is missing at the end. */
  readonly position: number

  constructor(text: string, position: number, expected: string) {
    const found = position < text.length ? JSON.stringify(text.charAt(position)) : 'its end'
    super(
      `${ruleErrors.RULE_INVALID} ${shorten(text)} at character ${position + 1}: expected ${expected}, found ${found}. ${form}`,
    )
    this.name = 'RuleError'
    this.text = text
    this.position = position
  }
}

/** True for a `RuleError` of this or another copy of the package. */
export function isRuleError(error: unknown): error is RuleError {
  return error instanceof Error && error.name === 'RuleError' && 'position' in error
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}
