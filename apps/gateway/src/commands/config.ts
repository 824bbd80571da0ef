import type { Configuration } from '@mobius-mcp/config'
import { knownServers } from '../built-in-for-clients.ts'
import { findConfiguration } from '../find-configuration.ts'
import type { ConfigOptions } from '../program.ts'
import { toSnapshot } from '../to-snapshot.ts'

/** `mobius config check`: says all that is wrong. The exit code is 2 where something is. */
export async function check(options: ConfigOptions): Promise<number> {
  const configuration = await read(options)
  if (!configuration) return 0
  const { formatProblem } = await import('@mobius-mcp/config')
  const { file, servers, warnings } = configuration
  // Whatever the files say has to compile too, and so has what a profile would make of them.
  toSnapshot(configuration)
  for (const name of configuration.profiles) {
    const profile = [...(options.profile ?? []), name]
    const other = options.profile?.includes(name) ? undefined : await read({ ...options, profile })
    if (other) toSnapshot(other)
  }
  for (const warning of warnings) process.stdout.write(`${formatProblem(warning)}\n`)
  process.stdout.write(
    `${file}: good, ${servers.length} ${servers.length === 1 ? 'server' : 'servers'}\n`,
  )
  return 0
}

/** `mobius config print`: what is in effect, where each value was written, and no secrets. */
export async function print(options: ConfigOptions): Promise<number> {
  const configuration = await read(options)
  if (!configuration) return 0
  const { printConfiguration } = await import('@mobius-mcp/config')
  process.stdout.write(printConfiguration(configuration, { relativeTo: process.cwd() }))
  return 0
}

/** `mobius config schema`: for editors. */
export async function schema(): Promise<number> {
  const { configurationSchema } = await import('@mobius-mcp/config')
  process.stdout.write(`${JSON.stringify(configurationSchema(), null, 2)}\n`)
  return 0
}

async function read(options: ConfigOptions): Promise<Configuration | undefined> {
  const found = await findConfiguration(options)
  if (!found) {
    process.stderr.write('No configuration found: the built-in servers alone are in effect.\n')
    return undefined
  }
  const { loadConfig } = await import('@mobius-mcp/config')
  return await loadConfig(found.paths, {
    env: process.env,
    profiles: found.profiles,
    knownServers,
    allowExec: found.named,
  })
}
