import { type Clock, systemClock } from '@mobius-mcp/protocol'
import type { Configuration } from '../configuration.ts'
import { ConfigError } from '../errors.ts'
import type { FindConfigOptions } from '../find-config.ts'
import type { LoadConfigOptions } from '../load-config.ts'
import { type ConfigurationChanges, diffConfiguration } from './diff-configuration.ts'
import { Loader } from './loader.ts'
import { type WatchFolder, watchFolder } from './watch-folder.ts'
import { WatchedPaths } from './watched-paths.ts'

export interface WatchConfigOptions extends Omit<LoadConfigOptions, 'allowExec'> {
  /** Where to look, each time anew. `exec:` runs programs only for files that this names. */
  readonly find: FindConfigOptions
  /** Whether the files are followed from the beginning, which they are by default; else from `follow` on. */
  readonly follow?: boolean | undefined
  /** Told of what became of every change of the files, unless nothing did. */
  readonly onReload?: ((reload: ConfigReload) => void) | undefined
  /** Told of a folder that cannot be watched, as when the system has no watches left: only `reload` sees its changes. */
  readonly onUnwatched?: ((folder: string, reason: string) => void) | undefined
  /** How long files must lie still before they are read again: 100 ms by default. */
  readonly settle?: number | undefined
  /** The machine's, by default. */
  readonly clock?: Clock | undefined
  /** Node's, by default. */
  readonly watchFolder?: WatchFolder | undefined
}

/** What became of reading the files again. */
export type ConfigReload =
  | {
      readonly kind: 'changed'
      readonly configuration: Configuration
      readonly before: Configuration
      readonly changes: ConfigurationChanges
    }
  /** They say the same. Told only where they were refused before. */
  | { readonly kind: 'unchanged'; readonly configuration: Configuration }
  /** They cannot be used: what was in use stays so. */
  | { readonly kind: 'refused'; readonly configuration: Configuration; readonly error: ConfigError }

/** A configuration that follows its files. */
export interface ConfigWatch extends Disposable {
  /** The last good one. Where nothing is found, one that configures nothing. */
  readonly current: Configuration
  /** What is wrong with the files as they are now, if anything. */
  readonly error: ConfigError | undefined
  /** Reads the files at once; for a signal or a command. Never throws for what is in them. */
  reload(): Promise<ConfigReload>
  /** Follows the files from now on, and takes over what changed since they were read. */
  follow(): void
  /** Watches no longer. */
  close(): void
}

/**
 * Finds and loads the configuration, and follows it, at once or when told to: every file that took part, also those that were
 * extended or referenced, and those that are not there and would win if they were.
 *
 * @throws ConfigError where the files cannot be used to begin with.
 */
export async function watchConfig(options: WatchConfigOptions): Promise<ConfigWatch> {
  const loader = new Loader(options)
  const first = await loader.load()
  if (first instanceof ConfigError) throw first
  return new Watch(first, loader, options)
}

const defaultSettle = 100
/** How many times as long to wait for a half-written file to become whole, or for files to lie still. */
const patience = 5

class Watch implements ConfigWatch {
  readonly #loader: Loader
  readonly #options: WatchConfigOptions
  readonly #clock: Clock
  readonly #watched: WatchedPaths
  #current: Configuration
  #error: ConfigError | undefined
  #timer: unknown
  /** When the first of the events came that are waited for. */
  #touchedAt: number | undefined
  #following = false
  #closed = false
  /** Reading is one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(first: Configuration, loader: Loader, options: WatchConfigOptions) {
    this.#current = first
    this.#loader = loader
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#watched = new WatchedPaths({
      watchFolder: options.watchFolder ?? watchFolder,
      onEvent: () => this.#touched(),
      onUnwatched: (folder, reason) => options.onUnwatched?.(folder, reason),
    })
    if (options.follow ?? true) this.follow()
  }

  get current(): Configuration {
    return this.#current
  }

  get error(): ConfigError | undefined {
    return this.#error
  }

  reload(): Promise<ConfigReload> {
    return this.#inTurn(async () => this.#take(await this.#read()))
  }

  follow(): void {
    if (this.#following || this.#closed) return
    this.#following = true
    void this.#watch()
  }

  close(): void {
    this.#following = false
    this.#closed = true
    this.#clock.clear(this.#timer)
    this.#watched[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  /** Every further event makes it wait again, but not for ever: an editor's save is many of them. */
  #touched(): void {
    const settle = this.#options.settle ?? defaultSettle
    const now = this.#clock.now()
    this.#touchedAt ??= now
    const longest = this.#touchedAt + patience * settle - now
    this.#wait(Math.max(0, Math.min(settle, longest)), () => this.#readWithPatience(true))
  }

  #wait(delay: number, then: () => Promise<void>): void {
    this.#clock.clear(this.#timer)
    if (this.#closed) return
    this.#timer = this.#clock.set(() => void this.#inTurn(then), delay)
  }

  /** What looks like a file that is being written is read once more, later, before it counts. */
  async #readWithPatience(first: boolean): Promise<void> {
    this.#touchedAt = undefined
    const read = await this.#read()
    if (first && this.#looksHalfWritten(read)) {
      const delay = patience * (this.#options.settle ?? defaultSettle)
      this.#wait(delay, () => this.#readWithPatience(false))
    } else this.#take(read)
  }

  #looksHalfWritten(read: Configuration | ConfigError): boolean {
    if (read instanceof ConfigError) return true
    return read.servers.length === 0 && this.#current.servers.length > 0
  }

  async #read(): Promise<Configuration | ConfigError> {
    const read = await this.#loader.load()
    if (this.#following) await this.#watch()
    return read
  }

  #take(read: Configuration | ConfigError): ConfigReload {
    const reload = this.#judge(read)
    const again = reload.kind === 'refused' && reload.error.message === this.#error?.message
    const unknown = reload.kind === 'unchanged' && this.#error === undefined
    this.#current = reload.configuration
    this.#error = reload.kind === 'refused' ? reload.error : undefined
    if (!this.#closed && !again && !unknown) this.#options.onReload?.(reload)
    return reload
  }

  #judge(read: Configuration | ConfigError): ConfigReload {
    const before = this.#current
    if (read instanceof ConfigError) return { kind: 'refused', configuration: before, error: read }
    if (read.identity === before.identity) return { kind: 'unchanged', configuration: read }
    const changes = diffConfiguration(before, read)
    return { kind: 'changed', configuration: read, before, changes }
  }

  /** Watches what was read, and looks whether it changed between being read and being watched. */
  async #watch(): Promise<void> {
    this.#watched.replace(this.#loader.paths)
    if (await this.#loader.isStale()) this.#touched()
  }
}
