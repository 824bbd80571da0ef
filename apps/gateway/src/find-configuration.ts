import { homedir } from 'node:os'
import type { FindConfigOptions, FoundConfig } from '@mobius-mcp/config'
import { stateFolderOf } from './folders.ts'
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

/**
 * The state folder of a command. Where only the configuration can say so it is read, and one that
 * cannot be used says nothing.
 */
export async function findState(options: ConfigOptions): Promise<string> {
  if (options.state !== undefined || process.env.MOBIUS_STATE) return stateFolderOf(options)
  const { loadConfig } = await import('@mobius-mcp/config')
  try {
    const found = await findConfiguration(options)
    if (!found) return stateFolderOf(options)
    const { paths, profiles, named: allowExec } = found
    const configuration = await loadConfig(paths, { env: process.env, profiles, allowExec })
    return stateFolderOf(options, configuration)
  } catch {
    return stateFolderOf(options)
  }
}
