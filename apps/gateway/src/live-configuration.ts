import type { Configuration } from '@mobius-mcp/config'
import type { JsonObject } from '@mobius-mcp/protocol'

/** The configuration that is in use, and the ways to change it. */
export interface LiveConfiguration extends AsyncDisposable {
  /** `undefined` where there is none: the built-in servers alone. */
  readonly current: Configuration | undefined
  /** What it was read from: absolute paths. */
  readonly paths: readonly string[]
  /**
   * Reads it again, and gives a line for each thing that is different now.
   *
   * @throws ConfigError where something is wrong in it: what was in use stays.
   */
  reload(): Promise<readonly string[]>
  addServer(name: string, entry: JsonObject): Promise<readonly string[]>
  removeServer(name: string): Promise<readonly string[]>
}
