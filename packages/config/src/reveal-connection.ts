import type { ConnectionSettings } from './configuration.ts'
import { reveal, type Secret } from './secret.ts'

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

/** Takes secrets out of their wrapping, where they leave for the server that they are for. */
export function revealConnection(connection: ConnectionSettings): RevealedConnection {
  if (connection.type === 'stdio') {
    const { type, command, args, env, cwd } = connection
    return { type, command, args: args.map(reveal), env: revealAll(env), cwd }
  }
  const { type, url, headers } = connection
  return { type, url: reveal(url), headers: revealAll(headers) }
}

function revealAll(
  values: Readonly<Record<string, string | Secret>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, reveal(value)]))
}
