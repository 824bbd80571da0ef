import type { ConfigErrorCode } from '../errors.ts'

const reasons = new Map<unknown, readonly [ConfigErrorCode, string]>([
  ['ENOENT', ['CONFIG_NOT_FOUND', 'no such file']],
  ['ENOTDIR', ['CONFIG_NOT_FOUND', 'no such file: part of the path is not a folder']],
  ['EACCES', ['CONFIG_UNREADABLE', 'it may not be read by this user']],
  ['EPERM', ['CONFIG_UNREADABLE', 'it may not be read by this user']],
  ['EISDIR', ['CONFIG_UNREADABLE', 'expected a file, received a folder']],
])

/** Why a file could not be read, in our words. */
export function explainReadError(cause: unknown): { code: ConfigErrorCode; message: string } {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const [code, message] = reasons.get('code' in error ? error.code : undefined) ?? []
  return { code: code ?? 'CONFIG_UNREADABLE', message: message ?? error.message }
}
