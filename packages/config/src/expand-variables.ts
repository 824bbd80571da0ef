/** The variables that a configuration may name, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What became of a value that may name variables. */
export interface Expansion {
  readonly text: string
  /** True where a variable was replaced: the text may be a secret. */
  readonly expanded: boolean
  /** What could not be expanded, and stands in the text as it was. */
  readonly failures: readonly ExpansionFailure[]
}

interface ExpansionFailure {
  readonly code: 'UNSET_VARIABLE' | 'WRONG_VALUE'
  readonly message: string
}

/**
 * Replaces `${VAR}`, `${VAR:-default}` and `${VAR:?message}` as a shell does: an empty variable
 * counts as unset for the latter two. `${env:VAR}` is how editors write the first. `$${` stands for
 * the text `${`. Once over: what a variable holds is not looked into.
 */
export function expandVariables(text: string, env: Environment): Expansion {
  const failures: ExpansionFailure[] = []
  let expanded = false
  const result = text.replaceAll(reference, (whole: string, inside: string | undefined) => {
    if (whole === '$${') return '${'
    const found = resolve(inside, env)
    if (typeof found !== 'string') {
      failures.push(found)
      return whole
    }
    expanded = true
    return found
  })
  return { text: result, expanded, failures }
}

// The escape; or a reference; or the beginning of one that never ends.
const reference = /\$\$\{|\$\{(?:([^}]*)\})?/g

const parts = /^(?:env:)?([A-Za-z_]\w*)(?::([-?])(.*))?$/s

function resolve(inside: string | undefined, env: Environment): string | ExpansionFailure {
  const [, name, operator, rest = ''] = inside === undefined ? [] : (parts.exec(inside) ?? [])
  if (name === undefined || rest.includes('${')) return malformed(inside)
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  if (value !== undefined && (value !== '' || operator === undefined)) return value
  if (operator === '-') return rest
  return unset(name, operator === '?' ? rest : '')
}

function unset(name: string, wish: string): ExpansionFailure {
  const message = wish
    ? `the variable ${name} is not set: ${wish}`
    : `the variable ${name} is not set; set it, or write \${${name}:-default} for a value without it`
  return { code: 'UNSET_VARIABLE', message }
}

/** Not quoted: it may be a password with these characters in it. */
function malformed(inside: string | undefined): ExpansionFailure {
  const fault =
    inside === undefined
      ? 'one without its }'
      : inside.includes('${')
        ? 'one inside another'
        : 'one that names no variable'
  const message = `expected a reference such as \${VAR}, \${VAR:-default} or \${VAR:?message}, received ${fault}; write $\${ where the text itself is meant`
  return { code: 'WRONG_VALUE', message }
}
