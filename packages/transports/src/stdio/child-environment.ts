const posixNames = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
]

const windowsNames = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]

/**
 * What a child finds in its environment: a few variables that programs need to run at all, and what
 * is configured for it. Whatever else this process knows, keys above all, stays here.
 */
export function createChildEnvironment(
  configured: Readonly<Record<string, string>> | undefined,
  own: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const name of platform === 'win32' ? windowsNames : posixNames) {
    const value = own[name]
    // A shell function, which bash exports like this, is code.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value
  }
  return Object.assign(environment, configured)
}
