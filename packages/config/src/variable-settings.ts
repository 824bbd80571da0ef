/** A variable that the configuration declares under `env`. */
export interface VariableSettings {
  readonly name: string
  /** For whoever is asked for it. */
  readonly description?: string
  /** The only values that it may have. */
  readonly options?: readonly string[]
  /** What needs it cannot be used without. */
  readonly required: boolean
  /** Whoever types it should not see it. */
  readonly secret: boolean
  /** What it is where it is not set, unless that is secret. */
  readonly default?: string
  /** Whether it has a value: one of its own, or the default. */
  readonly isSet: boolean
}

/** Values for variables that were declared and are not set, by their names. */
export type VariableValues = Readonly<Record<string, string>>

/** The declared variables without which something cannot be used, and which have no value. */
export function missingVariables(
  variables: readonly VariableSettings[],
): readonly VariableSettings[] {
  return variables.filter(({ required, isSet }) => required && !isSet)
}
