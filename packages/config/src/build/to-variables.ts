import type { ConfigFile } from '../schema/config-file.ts'
import type { DeclaredVariable } from '../values/value-sources.ts'
import type { VariableSettings } from '../variable-settings.ts'

/** The variables that the files declare, and whether they have values. */
export function toVariables(
  { env = {} }: ConfigFile,
  declared: ReadonlyMap<string, DeclaredVariable>,
): VariableSettings[] {
  return Object.entries(env).map(([name, entry]) => {
    const { description, default: fallback, options, optional = false, secret = true } = entry
    return {
      name,
      ...(description !== undefined && { description }),
      ...(options && options.length > 0 && { options }),
      required: !optional,
      secret,
      ...(fallback !== undefined && !secret && { default: fallback }),
      isSet: Boolean(declared.get(name)?.value),
    }
  })
}
