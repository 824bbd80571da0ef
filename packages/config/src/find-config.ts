import { stat } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { ConfigError } from './errors.ts'
import { mainFiles, partFolders } from './read/config-folder.ts'
import type { Environment } from './values/value-sources.ts'

/** What stands at a path, as far as a search must know. */
export type PathKind = 'file' | 'folder' | undefined

export interface FindConfigOptions {
  /** The paths that the person gave, if any: later ones are laid over earlier ones. */
  readonly arguments?: readonly string[] | undefined
  /** `MOBIUS_CONFIG`, `INIT_CWD`, `XDG_CONFIG_HOME` and, on Windows, `APPDATA` are looked at. */
  readonly env: Environment
  /** Where the process stands. */
  readonly cwd: string
  /** The user's home folder. */
  readonly home: string
  /** The machine's own, by default. */
  readonly platform?: string | undefined
  /** Node's, by default. */
  readonly stat?: ((path: string) => Promise<PathKind>) | undefined
}

/** Configuration files, and why it is these. */
export interface FoundConfig {
  /** Files and folders, as `loadConfig` takes them. */
  readonly paths: readonly string[]
  readonly from: 'argument' | 'environment' | 'folder' | 'user'
  /**
   * Whether the person named them. Others may lie there unread by anybody, so nothing in them should
   * run by itself: `allowExec` for `loadConfig`.
   */
  readonly named: boolean
}

const fileName = 'mobius.yaml'

/**
 * Finds the configuration: the paths that were given; else what `MOBIUS_CONFIG` names, several
 * separated as in `PATH`; else `mobius.yaml` or `.mobius/` where the person stands; else the user's
 * own; else `undefined`.
 *
 * @throws ConfigError `CONFIG_NOT_FOUND` where a path was given and nothing is there: whoever names
 * a file does not mean another.
 */
export async function findConfig(options: FindConfigOptions): Promise<FoundConfig | undefined> {
  const { stat: look = kindOfPath } = options
  const named = namedPaths(options)
  if (named) {
    for (const path of named.paths) await expectConfig(path, look)
    return { ...named, named: true }
  }
  for (const { path, from } of candidatesOf(options)) {
    if (await isConfig(path, look)) return { paths: [path], from, named: false }
  }
  return undefined
}

/** Every path at which something that comes to be would be found, or is. */
export function watchedCandidates(options: FindConfigOptions): readonly string[] {
  return namedPaths(options)?.paths ?? candidatesOf(options).map(({ path }) => path)
}

function namedPaths(options: FindConfigOptions): Pick<FoundConfig, 'paths' | 'from'> | undefined {
  const { arguments: given = [], env } = options
  const toPath = (text: string) => (isUrl(text) ? text : resolve(standingIn(options), text))
  if (given.length > 0) return { paths: given.map(toPath), from: 'argument' }
  const variable = (env.MOBIUS_CONFIG ?? '').split(delimiter).filter((path) => path !== '')
  return variable.length > 0 ? { paths: variable.map(toPath), from: 'environment' } : undefined
}

function candidatesOf(options: FindConfigOptions): { path: string; from: FoundConfig['from'] }[] {
  const here = standingIn(options)
  return [
    { path: join(here, fileName), from: 'folder' },
    { path: join(here, '.mobius'), from: 'folder' },
    { path: userFolder(options), from: 'user' },
  ]
}

/**
 * Where the person stands. A package manager runs a script in the folder of its package and keeps
 * the person's in `INIT_CWD`, which every process below inherits: it counts only for one that still
 * stands in the package's folder.
 */
function standingIn({ env, cwd }: FindConfigOptions): string {
  const { INIT_CWD: initial, npm_package_json: manifest } = env
  const inScript = initial && manifest && resolve(dirname(manifest)) === resolve(cwd)
  return inScript && isAbsolute(initial) ? initial : cwd
}

function userFolder({ env, home, platform = process.platform }: FindConfigOptions): string {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'mobius')
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'mobius')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'mobius')
  return join(home, '.config', 'mobius')
}

async function expectConfig(path: string, look: Look): Promise<void> {
  // What it is, whoever reads it says.
  if (isUrl(path) || (await isConfig(path, look))) return
  const inFolder = (await look(path)) === 'folder'
  const message = inFolder ? `there is no ${fileName} in this folder` : 'no such file'
  const problems = [{ code: 'UNREADABLE', file: path, path: [], message } as const]
  throw new ConfigError('CONFIG_NOT_FOUND', { file: path, problems })
}

type Look = (path: string) => Promise<PathKind>

/** A file, or a folder with something in it that counts. */
async function isConfig(path: string, look: Look): Promise<boolean> {
  const kind = await look(path)
  if (kind !== 'folder') return kind === 'file'
  const parts = await Promise.all([
    ...mainFiles.map(async (name) => (await look(join(path, name))) === 'file'),
    ...partFolders.map(async (name) => (await look(join(path, name))) === 'folder'),
  ])
  return parts.includes(true)
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z+]+:\/\//i.test(text)
}

async function kindOfPath(path: string): Promise<PathKind> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file'
  } catch {
    return undefined
  }
}
