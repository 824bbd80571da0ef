import type { CommandConfiguration } from './command-configuration.ts'
import { findConfiguration } from './find-configuration.ts'
import { findRunning, type RunningGateway } from './running-gateway.ts'

/**
 * The gateway that runs on the state folder with the configuration that a command means. `undefined`
 * where none does: the command works by itself then.
 */
export async function findAttachable(
  configuration: CommandConfiguration,
): Promise<RunningGateway | undefined> {
  const running = await findRunning(await configuration.state())
  if (!running) return undefined
  const { options } = configuration
  // Whoever names no configuration means the one that is in use.
  if (!options.config && !options.profile && process.env.MOBIUS_CONFIG === undefined) {
    return running
  }
  const { paths = [], profiles } = (await findConfiguration(options)) ?? {}
  const wanted = [...paths, ...(profiles ?? [])]
  const used = [...running.configuration, ...running.profiles]
  return wanted.length === used.length && wanted.every((path, index) => path === used[index])
    ? running
    : undefined
}
