import type {
  ConfigError,
  ConfigReload,
  Configuration,
  ConfigurationChanges,
  ConfigWatch,
} from '@mobius-mcp/config'
import type { JsonObject } from '@mobius-mcp/protocol'
import { describeChanges } from './describe-changes.ts'
import { findConfiguration, placesOf } from './find-configuration.ts'
import type { ConfigOptions } from './program.ts'

/** The configuration that is in use, and the ways to change it. */
export interface LiveConfiguration extends Disposable {
  /** Where nothing was found, one that configures nothing. */
  readonly current: Configuration
  /** What it was read from: absolute paths; none where nothing was found. */
  readonly paths: readonly string[]
  readonly profiles: readonly string[]
  /** Calls back with each configuration that replaces another, and with what is refused. */
  listen(listener: ConfigurationListener): void
  /** Follows its files from now on; until then it is read again only when told to. */
  follow(): void
  /**
   * Reads it again, and gives a line for each thing that is different now.
   *
   * @throws ConfigError where something is wrong in it: what was in use stays.
   */
  reload(): Promise<readonly string[]>
  /** Writes a server into the file and reads it again. */
  addServer(name: string, entry: JsonObject): Promise<readonly string[]>
  removeServer(name: string): Promise<readonly string[]>
}

interface ConfigurationListener {
  onChange(configuration: Configuration, changes: ConfigurationChanges): void
  onRefusal(error: ConfigError): void
  /** Edits in a folder will not be noticed. */
  onUnwatched(folder: string, reason: string): void
}

/**
 * Reads the configuration that a command means.
 *
 * @throws ConfigError with all that is wrong in them.
 */
export async function openConfiguration(
  options: ConfigOptions,
  knownServers: readonly string[],
): Promise<LiveConfiguration> {
  const { watchConfig } = await import('@mobius-mcp/config')
  const { paths = [] } = (await findConfiguration(options)) ?? {}
  const profiles = options.profile ?? []
  const listeners: ConfigurationListener[] = []
  const watch = await watchConfig({
    find: placesOf(options),
    env: process.env,
    profiles,
    knownServers,
    follow: false,
    onUnwatched(folder, reason) {
      for (const { onUnwatched } of listeners) onUnwatched(folder, reason)
    },
    onReload: (reload) => {
      for (const listener of listeners) tell(listener, reload)
    },
  })
  return new FollowedConfiguration(watch, { paths, profiles, listeners })
}

function tell(listener: ConfigurationListener, reload: ConfigReload): void {
  if (reload.kind === 'changed') listener.onChange(reload.configuration, reload.changes)
  if (reload.kind === 'refused') listener.onRefusal(reload.error)
}

class FollowedConfiguration implements LiveConfiguration {
  readonly paths: readonly string[]
  readonly profiles: readonly string[]
  readonly #watch: ConfigWatch
  readonly #listeners: ConfigurationListener[]

  constructor(
    watch: ConfigWatch,
    {
      paths,
      profiles,
      listeners,
    }: {
      readonly paths: readonly string[]
      readonly profiles: readonly string[]
      readonly listeners: ConfigurationListener[]
    },
  ) {
    this.#watch = watch
    this.paths = paths
    this.profiles = profiles
    this.#listeners = listeners
  }

  get current(): Configuration {
    return this.#watch.current
  }

  listen(listener: ConfigurationListener): void {
    this.#listeners.push(listener)
  }

  follow(): void {
    this.#watch.follow()
  }

  async reload(): Promise<readonly string[]> {
    const reload = await this.#watch.reload()
    if (reload.kind === 'refused') throw reload.error
    return reload.kind === 'changed' ? describeChanges(reload.changes) : []
  }

  async addServer(name: string, entry: JsonObject): Promise<readonly string[]> {
    const { writeServers } = await import('./write-server.ts')
    await writeServers(this, [{ kind: 'add', name, entry }])
    return await this.reload()
  }

  async removeServer(name: string): Promise<readonly string[]> {
    const { writeServers } = await import('./write-server.ts')
    await writeServers(this, [{ kind: 'remove', name }])
    return await this.reload()
  }

  [Symbol.dispose](): void {
    this.#watch.close()
  }
}
