import { randomBytes } from 'node:crypto'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'

/**
 * Makes a file, whole and readable by its owner alone. Of several processes that try at once,
 * exactly one succeeds. Resolves with whether it was this one.
 */
export async function createFile(
  folder: string,
  file: string,
  content: string | Uint8Array,
): Promise<boolean> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`
  // Each time, for somebody may clear the state folder meanwhile.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await writeFile(draft, content, { flag: 'wx', mode: 0o600 })
    // Unlike a rename, it never replaces what is there.
    await link(draft, file)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Whether a file is not there. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
