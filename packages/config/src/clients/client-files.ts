import { basename, dirname, join } from 'node:path'
import type { Environment } from '../values/value-sources.ts'

/** The clients whose files can be read and written, by the names that commands take. */
export const clientKinds = [
  'claude-code',
  'claude-desktop',
  'codex',
  'cursor',
  'gemini',
  'opencode',
  'vscode',
  'windsurf',
  'zed',
] as const

/** The name of a client. */
export type ClientKind = (typeof clientKinds)[number]

/** Where a client keeps its servers. */
export interface ClientFile {
  readonly client: ClientKind
  /** Whether it counts for all that the user does, or for the project in a folder. */
  readonly scope: 'user' | 'project'
  readonly path: string
}

export interface ClientPlaces {
  /** The folder of the project. */
  readonly cwd: string
  readonly home: string
  /** `APPDATA`, `XDG_CONFIG_HOME`, `CODEX_HOME` and `CLAUDE_CONFIG_DIR` are looked at. */
  readonly env: Environment
  /** The machine's own, by default. */
  readonly platform?: string | undefined
}

/** The files of a client, its user's first, whether they are there or not. */
export function clientFiles(client: ClientKind, places: ClientPlaces): readonly ClientFile[] {
  const { user, project } = paths[client](places)
  return [
    { client, scope: 'user', path: user },
    ...(project === undefined ? [] : [{ client, scope: 'project', path: project } as const]),
  ]
}

/** Whose file this is, by where it is and what it is called; `undefined` for anybody's. */
export function recogniseClientFile(path: string): ClientKind | undefined {
  const name = basename(path).toLowerCase()
  const folder = basename(dirname(path)).toLowerCase()
  const byName = names.get(name)
  if (byName) return byName
  if (name === 'mcp.json') {
    if (folder === '.cursor') return 'cursor'
    return folder === '.vscode' || folder === 'user' ? 'vscode' : undefined
  }
  if (name === 'settings.json' && folder === '.gemini') return 'gemini'
  return name === 'settings.json' && /^\.?zed$/.test(folder) ? 'zed' : undefined
}

const names: ReadonlyMap<string, ClientKind> = new Map([
  ['.claude.json', 'claude-code'],
  ['.mcp.json', 'claude-code'],
  ['claude_desktop_config.json', 'claude-desktop'],
  ['config.toml', 'codex'],
  ['mcp_config.json', 'windsurf'],
  ['opencode.json', 'opencode'],
  ['opencode.jsonc', 'opencode'],
])

type Paths = (places: ClientPlaces) => { readonly user: string; readonly project?: string }

const paths: Readonly<Record<ClientKind, Paths>> = {
  'claude-code': ({ home, cwd, env }) => ({
    user: join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
    project: join(cwd, '.mcp.json'),
  }),
  'claude-desktop': (places) => ({
    user: join(applicationFolder(places), 'Claude', 'claude_desktop_config.json'),
  }),
  codex: ({ home, cwd, env }) => ({
    user: join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    project: join(cwd, '.codex', 'config.toml'),
  }),
  cursor: ({ home, cwd }) => ({
    user: join(home, '.cursor', 'mcp.json'),
    project: join(cwd, '.cursor', 'mcp.json'),
  }),
  gemini: ({ home, cwd }) => ({
    user: join(home, '.gemini', 'settings.json'),
    project: join(cwd, '.gemini', 'settings.json'),
  }),
  opencode: ({ home, cwd, env }) => ({
    user: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'opencode.json'),
    project: join(cwd, 'opencode.json'),
  }),
  vscode: (places) => ({
    user: join(applicationFolder(places), 'Code', 'User', 'mcp.json'),
    project: join(places.cwd, '.vscode', 'mcp.json'),
  }),
  windsurf: ({ home }) => ({ user: join(home, '.codeium', 'windsurf', 'mcp_config.json') }),
  zed: ({ home, cwd, env, platform = process.platform }) => ({
    user:
      platform === 'win32'
        ? join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Zed', 'settings.json')
        : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'zed', 'settings.json'),
    project: join(cwd, '.zed', 'settings.json'),
  }),
}

/** Where applications with a window keep their settings. */
function applicationFolder({ home, env, platform = process.platform }: ClientPlaces): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA ?? join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}
