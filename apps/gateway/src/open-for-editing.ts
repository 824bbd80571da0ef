import type { Configuration } from '@mobius-mcp/config'
import { knownServers } from './built-in-for-clients.ts'
import { findConfiguration } from './find-configuration.ts'
import type { ConfigOptions } from './program.ts'

/** A configuration that is about to be changed. */
export interface EditableConfiguration {
  /** What it was read from; none where nothing was found. */
  readonly paths: readonly string[]
  readonly current: Configuration
}

/**
 * Reads a configuration to change it: what it takes from outside need not be there yet.
 *
 * @throws ConfigError with all that is wrong in it otherwise.
 */
export async function openForEditing(options: ConfigOptions): Promise<EditableConfiguration> {
  const { loadConfig } = await import('@mobius-mcp/config')
  const { paths = [], profiles = [] } = (await findConfiguration(options)) ?? {}
  const current = await loadConfig(paths, { env: everyVariable(), profiles, knownServers })
  return { paths, current }
}

/** What still has to be set before the configuration can be used, a line each. */
export async function findUnset(options: ConfigOptions): Promise<readonly string[]> {
  const { ConfigError, formatProblem, loadConfig } = await import('@mobius-mcp/config')
  const { paths = [], profiles = [] } = (await findConfiguration(options)) ?? {}
  try {
    await loadConfig(paths, { env: process.env, profiles, knownServers })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.filter(({ code }) => code === 'UNSET_VARIABLE').map(formatProblem)
  }
}

/** An environment in which every variable is set. */
function everyVariable(): Readonly<Record<string, string>> {
  const read = (name: string | symbol) => process.env[String(name)] ?? 'not-set-yet'
  return new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => read(name),
      getOwnPropertyDescriptor: (_, name) => ({ value: read(name), configurable: true }),
    },
  )
}
