import { findConfiguration, findState } from './find-configuration.ts'
import type { ConfigOptions } from './program.ts'
import { findRunning, type RunningGateway } from './running-gateway.ts'

/**
 * The gateway that runs on the state folder with the configuration that a command means. `undefined`
 * where none does: the command works by itself then.
 */
export async function findAttachable(options: ConfigOptions): Promise<RunningGateway | undefined> {
  const running = await findRunning(await findState(options))
  if (!running) return undefined
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
