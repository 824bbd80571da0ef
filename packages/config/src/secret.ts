import { inspect } from 'node:util'

const shown = '[redacted]'

/** Text that shows itself to nobody who does not ask for it by name: not in logs, JSON or errors. */
export class Secret {
  static {
    Object.defineProperty(Secret.prototype, inspect.custom, { value: () => shown })
  }

  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself, for whoever hands it on to where it is needed. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return shown
  }

  toJSON(): string {
    return shown
  }
}

/** The text, secret or not. */
export function reveal(value: Secret | string): string {
  return value instanceof Secret ? value.reveal() : value
}
