/** Names of built-in servers, now and later: a server of a file cannot be called so. */
export const reservedServerNames = [
  'meta',
  'system',
  'workflows',
  'artifacts',
  'skills',
  'tasks',
  'registry',
  'handlers',
  'sampling',
] as const

/** True for the name of a built-in server. */
export function isReservedServerName(name: string): boolean {
  const reserved: readonly string[] = reservedServerNames
  return reserved.includes(name)
}

/**
 * What is wrong with a server's name: what was expected instead. `undefined` if it is right. Other
 * clients' files hold names such as `@scope/server` or `github.com/owner/server`, so only what
 * references and URLs cannot express is refused.
 */
export function checkServerName(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..' || name.length > 128) {
    return 'a name of 1 to 128 characters, not . or ..'
  }
  if (name !== name.trim() || /^\/|\/$/.test(name)) {
    return 'a name without a space or / at its beginning and end'
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f:*!]/.test(name)) {
    return 'a name without : * ! and control characters'
  }
  return undefined
}
