import { homedir } from 'node:os'
import { join } from 'node:path'

interface FolderOptions {
  /** What the command line says. */
  readonly argument: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly platform: string
}

/** Where state is kept: the given folder, else `MOBIUS_STATE`, else the platform's place for it. */
function stateFolder({ argument, env, home, platform }: FolderOptions): string {
  if (argument) return argument
  if (env.MOBIUS_STATE) return env.MOBIUS_STATE
  if (platform === 'win32')
    return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'mobius')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'mobius')
  return join(env.XDG_STATE_HOME ?? join(home, '.local', 'state'), 'mobius')
}

/** The folder for a command of this process, by its options, the environment, and the configuration. */
export function stateFolderOf(
  { state }: { readonly state?: string },
  configuration?: { readonly state?: string | undefined },
): string {
  const { env, platform } = process
  const argument = state ?? env.MOBIUS_STATE ?? configuration?.state
  return stateFolder({ argument, env, home: homedir(), platform })
}
