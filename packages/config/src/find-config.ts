import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { ConfigError } from './errors.ts'
import type { Environment } from './values/expand-text.ts'

/** What stands at a path, as far as a search must know. */
export type PathKind = 'file' | 'folder' | undefined

export interface FindConfigOptions {
  /** The path that the person gave, if any. */
  readonly argument?: string | undefined
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

/** A configuration file, and why it is this one. */
export interface FoundConfig {
  readonly file: string
  readonly from: 'argument' | 'environment' | 'folder' | 'user'
}

const fileName = 'mobius.yaml'

/**
 * Finds the configuration: the path that was given; else `MOBIUS_CONFIG`; else `mobius.yaml` or
 * `.mobius/mobius.yaml` where the person stands; else the user's own; else `undefined`. A folder
 * stands for the `mobius.yaml` in it.
 *
 * @throws ConfigError `CONFIG_NOT_FOUND` where a path was given and nothing is there: whoever names
 * a file does not mean another.
 */
export async function findConfig(options: FindConfigOptions): Promise<FoundConfig | undefined> {
  const { argument, env, stat: look = kindOfPath } = options
  const here = standingIn(options)
  if (argument) return { file: await named(resolve(here, argument), look), from: 'argument' }
  const variable = env.MOBIUS_CONFIG
  if (variable) return { file: await named(resolve(here, variable), look), from: 'environment' }
  const candidates: FoundConfig[] = [
    { file: join(here, fileName), from: 'folder' },
    { file: join(here, '.mobius', fileName), from: 'folder' },
    { file: join(userFolder(options), fileName), from: 'user' },
  ]
  for (const candidate of candidates) {
    if ((await look(candidate.file)) === 'file') return candidate
  }
  return undefined
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

async function named(path: string, look: (path: string) => Promise<PathKind>): Promise<string> {
  const kind = await look(path)
  if (kind === 'file') return path
  const inside = join(path, fileName)
  if (kind === 'folder' && (await look(inside)) === 'file') return inside
  const message = kind === 'folder' ? `there is no ${fileName} in this folder` : 'no such file'
  const problems = [{ code: 'UNREADABLE', file: path, path: [], message } as const]
  throw new ConfigError('CONFIG_NOT_FOUND', { file: path, problems })
}

async function kindOfPath(path: string): Promise<PathKind> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file'
  } catch {
    return undefined
  }
}
