import { inspect } from 'node:util'
import type { VariableValues } from './variable-settings.ts'

const shown = '[redacted]'

/** A declared variable that has no value yet, in the midst of a text. */
export interface MissingVariable {
  readonly variable: string
}

/** Text that shows itself to nobody who does not ask for it by name: not in logs, JSON or errors. */
export class Secret {
  static {
    Object.defineProperty(Secret.prototype, inspect.custom, { value: () => shown })
  }

  readonly #parts: readonly (string | MissingVariable)[]

  constructor(text: string | readonly (string | MissingVariable)[]) {
    this.#parts = typeof text === 'string' ? [text] : text
  }

  /** Texts, and between them variables that have no value. As secret as the whole. */
  parts(): readonly (string | MissingVariable)[] {
    return this.#parts
  }

  /** The declared variables that must be given for it to be revealed, each once. */
  get missing(): readonly string[] {
    const names = this.#parts.flatMap((part) => (typeof part === 'string' ? [] : [part.variable]))
    return [...new Set(names)]
  }

  /**
   * The text itself, for whoever hands it on to where it is needed.
   *
   * @throws MissingVariablesError where it needs variables that are neither set nor in `values`.
   */
  reveal(values: VariableValues = {}): string {
    const missing = this.missing.filter((name) => !Object.hasOwn(values, name))
    if (missing.length > 0) throw new MissingVariablesError(missing)
    return this.#parts
      .map((part) => (typeof part === 'string' ? part : (values[part.variable] ?? '')))
      .join('')
  }

  toString(): string {
    return shown
  }

  toJSON(): string {
    return shown
  }
}

/** What needs variables that have no value. */
export class MissingVariablesError extends Error {
  readonly variables: readonly string[]

  constructor(variables: readonly string[]) {
    const names = variables.join(', ')
    super(
      variables.length === 1
        ? `The variable ${names} is needed and not set. Set it where the gateway is started.`
        : `The variables ${names} are needed and not set. Set them where the gateway is started.`,
    )
    this.name = 'MissingVariablesError'
    this.variables = variables
  }
}

/**
 * The text, secret or not.
 *
 * @throws MissingVariablesError where it needs variables that are neither set nor in `values`.
 */
export function reveal(value: Secret | string, values?: VariableValues): string {
  return value instanceof Secret ? value.reveal(values) : value
}
