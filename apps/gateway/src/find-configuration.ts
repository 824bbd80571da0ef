import { homedir } from 'node:os'
import type { FindConfigOptions, FoundConfig } from '@mobius-mcp/config'
import type { ConfigOptions } from './program.ts'

/** Where the configuration of a command is looked for. */
export function placesOf({ config }: ConfigOptions): FindConfigOptions {
  return { arguments: config, env: process.env, cwd: process.cwd(), home: homedir() }
}

/**
 * The configuration that a command means, with its profiles; `undefined` where there is none.
 *
 * @throws ConfigError where a path was given and nothing is there.
 */
export async function findConfiguration(
  options: ConfigOptions,
): Promise<(FoundConfig & { readonly profiles: readonly string[] }) | undefined> {
  const { findConfig } = await import('@mobius-mcp/config')
  const found = await findConfig(placesOf(options))
  return found && { ...found, profiles: options.profile ?? [] }
}
