import type { ConnectionSettings } from './configuration.ts'
import { reveal, type Secret } from './secret.ts'
import type { VariableValues } from './variable-settings.ts'

/** How a server is reached, with every secret in its place. For a transport, and nothing else. */
export type RevealedConnection =
  | {
      readonly type: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string
    }
  | {
      readonly type: 'http' | 'sse'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }

/**
 * Takes secrets out of their wrapping, where they leave for the server that they are for.
 *
 * @throws MissingVariablesError where a declared variable is neither set nor in `values`.
 */
export function revealConnection(
  connection: ConnectionSettings,
  values?: VariableValues,
): RevealedConnection {
  if (connection.type === 'stdio') {
    const { type, command, args, env, cwd } = connection
    const texts = args.map((argument) => reveal(argument, values))
    return { type, command, args: texts, env: revealAll(env, values), cwd }
  }
  const { type, url, headers } = connection
  return { type, url: reveal(url, values), headers: revealAll(headers, values) }
}

/** The same texts, secret or not, by the same names. */
export function revealAll(
  texts: Readonly<Record<string, string | Secret>>,
  values?: VariableValues,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, reveal(text, values)]),
  )
}
