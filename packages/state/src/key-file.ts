import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createFile, isMissing } from './files.ts'
import { keyLength } from './seal.ts'

/** What is known of a key file. */
export type KeyFile =
  | { readonly kind: 'key'; readonly key: Uint8Array; readonly exposed: boolean }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly file: string }

/** Reads the key of a folder. */
export async function readKeyFile(folder: string): Promise<KeyFile> {
  const file = join(folder, 'key')
  try {
    const key = await readFile(file)
    if (key.length !== keyLength) return { kind: 'unusable', file }
    const { mode } = await stat(file)
    return { kind: 'key', key, exposed: process.platform !== 'win32' && (mode & 0o077) !== 0 }
  } catch (error) {
    if (isMissing(error)) return { kind: 'missing' }
    throw error
  }
}

/** Makes the key of a folder, unless another process was quicker. */
export async function makeKeyFile(folder: string): Promise<void> {
  await createFile(folder, join(folder, 'key'), randomBytes(keyLength))
}
