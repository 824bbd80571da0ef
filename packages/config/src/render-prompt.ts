import type { PromptSettings } from './prompt-settings.ts'
import { reveal, Secret } from './secret.ts'
import type { VariableValues } from './variable-settings.ts'

/**
 * The text of a prompt with its arguments in their places; one that was not given is empty. What stands
 * in an argument is put in as it is, and never looked into.
 *
 * @throws MissingVariablesError where a declared variable is neither set nor in `values`.
 */
export function renderPrompt(
  { template }: PromptSettings,
  args: Readonly<Record<string, string>>,
  values?: VariableValues,
): string {
  return template
    .map((part) => {
      if (typeof part === 'string' || part instanceof Secret) return reveal(part, values)
      return Object.hasOwn(args, part.argument) ? (args[part.argument] ?? '') : ''
    })
    .join('')
}
