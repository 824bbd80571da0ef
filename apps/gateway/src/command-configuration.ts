import { knownServers } from './built-in-for-clients.ts'
import { stateFolderOf } from './folders.ts'
import { type LiveConfiguration, openConfiguration } from './live-configuration.ts'
import type { ConfigOptions } from './program.ts'

/**
 * The configuration that a command means: read when something of it is needed, and only once, for
 * reading it may run programs.
 */
export class CommandConfiguration {
  readonly options: ConfigOptions
  #opening: Promise<LiveConfiguration> | undefined

  constructor(options: ConfigOptions) {
    this.options = options
  }

  /** @throws ConfigError with all that is wrong in it. */
  open(): Promise<LiveConfiguration> {
    this.#opening ??= openConfiguration(this.options, knownServers)
    return this.#opening
  }

  /**
   * The state folder. Where only the configuration can say so it is read, and one that cannot be
   * used says nothing.
   */
  async state(): Promise<string> {
    const { options } = this
    if (options.state !== undefined || process.env.MOBIUS_STATE) return stateFolderOf(options)
    try {
      return stateFolderOf(options, (await this.open()).current)
    } catch {
      return stateFolderOf(options)
    }
  }
}
