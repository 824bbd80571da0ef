import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Configuration } from './configuration.ts'
import { ConfigError, type ConfigErrorCode } from './errors.ts'
import { type ParseConfigOptions, parseConfig } from './parse-config.ts'

export interface LoadConfigOptions extends Omit<ParseConfigOptions, 'file'> {
  /** Node's, by default. */
  readonly readFile?: ((path: string) => Promise<string>) | undefined
}

/**
 * Reads and validates a configuration file.
 *
 * @throws ConfigError `CONFIG_NOT_FOUND`, `CONFIG_UNREADABLE`, or `CONFIG_INVALID` with all that is
 * wrong in it.
 *
 * @example
 * ```ts
 * const { servers, warnings } = await loadConfig('mobius.yaml', { env: process.env })
 * ```
 */
export async function loadConfig(
  path: string,
  options: LoadConfigOptions = {},
): Promise<Configuration> {
  const file = resolve(path)
  const read = options.readFile ?? ((name: string) => readFile(name, 'utf8'))
  let text: string
  try {
    text = await read(file)
  } catch (cause) {
    throw explainReadError(file, cause)
  }
  return parseConfig(text, { ...options, file })
}

const reasons = new Map<unknown, readonly [ConfigErrorCode, string]>([
  ['ENOENT', ['CONFIG_NOT_FOUND', 'no such file']],
  ['ENOTDIR', ['CONFIG_NOT_FOUND', 'no such file: part of the path is not a folder']],
  ['EACCES', ['CONFIG_UNREADABLE', 'it may not be read by this user']],
  ['EPERM', ['CONFIG_UNREADABLE', 'it may not be read by this user']],
  ['EISDIR', ['CONFIG_UNREADABLE', 'expected a file, received a folder']],
])

function explainReadError(file: string, cause: unknown): ConfigError {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const code = 'code' in error ? error.code : undefined
  const [kind, message] = reasons.get(code) ?? (['CONFIG_UNREADABLE', error.message] as const)
  const problems = [{ code: 'UNREADABLE', file, path: [], message } as const]
  return new ConfigError(kind, { file, problems, cause })
}
