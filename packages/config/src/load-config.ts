import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Configuration } from './configuration.ts'
import { ConfigError } from './errors.ts'
import { finishConfig, type ParseConfigOptions } from './parse-config.ts'
import { Findings } from './read/findings.ts'
import { type Contributions, gather } from './read/gather.ts'
import { addFile, emptyRead, type Layers, mergeLayers } from './read/layers.ts'
import { collectOutside } from './values/expand-tree.ts'
import { readOutside } from './values/read-outside.ts'
import { type RunProgram, runProgram } from './values/run-program.ts'

export interface LoadConfigOptions extends Omit<ParseConfigOptions, 'file'> {
  /**
   * Whether `exec:` references may run programs: only for files that the person named. Not by
   * default: a file that happens to lie in the current folder is read before anybody has read it.
   */
  readonly allowExec?: boolean | undefined
  /** Node's, by default. */
  readonly readFile?: ((path: string) => Promise<string>) | undefined
  /** The names of what is in a folder. Node's, by default. */
  readonly readFolder?: ((path: string) => Promise<readonly string[]>) | undefined
  /** Without a shell, by default. */
  readonly run?: RunProgram | undefined
}

/**
 * Reads and validates a configuration: a file, a folder, or several of them, each laid over those
 * before it, after what it `extends`. No path at all makes one that configures nothing.
 *
 * @throws ConfigError `CONFIG_NOT_FOUND`, `CONFIG_UNREADABLE`, or `CONFIG_INVALID` with all that is
 * wrong in any of the files.
 *
 * @example
 * ```ts
 * const { servers, warnings } = await loadConfig('mobius.yaml', { env: process.env })
 * ```
 */
export async function loadConfig(
  path: string | readonly string[],
  options: LoadConfigOptions = {},
): Promise<Configuration> {
  return loadWith(path, options, { files: new Set(), folders: new Set() })
}

/** Without any file the built-in servers are alone. */
const nothingRead = emptyRead({ file: '', folder: '', positionOf: () => ({ line: 1, column: 1 }) })

/** The same, and `seen` holds what was looked at even where it throws. */
export async function loadWith(
  path: string | readonly string[],
  options: LoadConfigOptions,
  seen: Contributions,
): Promise<Configuration> {
  const paths = (typeof path === 'string' ? [path] : path).map((one) =>
    one.includes('://') ? one : resolve(one),
  )
  const reader = {
    readFile: options.readFile ?? ((name: string) => readFile(name, 'utf8')),
    readFolder: options.readFolder ?? ((name: string) => readdir(name)),
  }
  const layers: Layers = { files: [], findings: new Findings() }
  const file = await gather(paths, { reader, layers, seen })
  if (paths.length === 0) addFile(layers, nothingRead)
  if (layers.files.length === 0) {
    throw new ConfigError('CONFIG_INVALID', { file, problems: layers.findings.problems })
  }
  const root = mergeLayers(layers, options.profiles ?? [])
  const outside = await readOutside(
    collectOutside(root),
    {
      env: options.env ?? {},
      allowExec: options.allowExec ?? false,
      readFile: reader.readFile,
      run: options.run ?? runProgram,
    },
    (name) => seen.files.add(name),
  )
  const read = { files: [...seen.files], folders: [...seen.folders] }
  return finishConfig(root, { ...options, file, layers, read, outside })
}
