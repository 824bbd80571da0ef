import { isSecretName, redactText } from './redact-text.ts'

const redacted = '[redacted]'
const maxDepth = 6
const maxMembers = 100
// Of a whole value: objects may lead back to themselves in many ways.
const maxTotal = 1000

/** Members that hold secrets under names of their own. */
const holders: ReadonlySet<string> = new Set(['env', 'environment', 'header', 'headers'])

const noPayloads: ReadonlySet<string> = new Set()

/** What is to be shown, and under which name. */
export interface RedactValueOptions {
  /** Reads the value; where it throws, it is said to be unreadable. */
  get(): unknown
  /** The name that the value goes by: a secret's hides it. */
  readonly name: string
  /** Names whose values are left out, secret or not. */
  readonly payloads?: ReadonlySet<string> | undefined
}

/** A copy as plain JSON, within bounds, without what goes by a secret's name or looks like a secret. */
export function redactValue({ get, name, payloads = noPayloads }: RedactValueOptions): unknown {
  try {
    return new Redaction(payloads).member(name, get(), 0)
  } catch {
    return '[unreadable]'
  }
}

class Redaction {
  readonly #payloads: ReadonlySet<string>
  #left = maxTotal

  constructor(payloads: ReadonlySet<string>) {
    this.#payloads = payloads
  }

  member(name: string, value: unknown, depth: number): unknown {
    if (value === undefined || value === null) return value
    if (this.#payloads.has(name)) return '[not logged]'
    if (holders.has(name)) return hidden(value)
    // A count of tokens is no token.
    const counts = typeof value === 'number' || typeof value === 'boolean'
    return isSecretName(name) && !counts ? redacted : this.#plain(value, depth)
  }

  #plain(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return redactText(value)
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
    if (typeof value !== 'object') return value === undefined ? undefined : String(value)
    this.#left -= 1
    if (depth > maxDepth || this.#left <= 0) return '[…]'
    try {
      return this.#object(value, depth)
    } catch {
      return '[unreadable]'
    }
  }

  #object(value: object, depth: number): unknown {
    if (value instanceof Error) return this.#error(value, depth)
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return this.#plain(value.toJSON(), depth + 1)
    }
    if (Array.isArray(value)) {
      return value.slice(0, maxMembers).map((item) => this.#plain(item, depth + 1))
    }
    const entries = Object.entries(value).slice(0, maxMembers)
    return Object.fromEntries(
      entries.map(([name, member]) => [name, this.member(name, member, depth + 1)]),
    )
  }

  #error(error: Error, depth: number): Record<string, unknown> {
    const { name, message, stack, cause } = error
    return {
      name,
      message: redactText(message),
      ...('code' in error ? { code: this.#plain(error.code, depth + 1) } : {}),
      ...(stack === undefined ? {} : { stack: redactText(stack) }),
      ...(cause === undefined ? {} : { cause: this.#plain(cause, depth + 1) }),
      ...('errors' in error ? { errors: this.#plain(error.errors, depth + 1) } : {}),
    }
  }
}

/** Names of variables and headers may be read; their values may not. */
function hidden(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return redacted
  const names = Object.keys(value).slice(0, maxMembers)
  return Object.fromEntries(names.map((name) => [name, redacted]))
}
