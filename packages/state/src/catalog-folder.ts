import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from './files.ts'

// Long enough that no process still writes it.
const abandonedAfter = 3_600_000

/** The file that holds a key's entry. Its name tells nothing of the key. */
export function entryFile(folder: string, key: string): string {
  return join(folder, `${createHash('sha256').update(key).digest('hex')}.json`)
}

/** The text of a file; `undefined` where there is none. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Replaces a file as a whole: whoever reads it, in any process, finds the old text or the new one.
 * Not flushed to the disk itself: after a power cut it may be damaged, and is then ignored.
 */
export async function replaceText(folder: string, file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`
  // Each time, for somebody may clear the state folder meanwhile.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Removes a file, if it is there. */
export async function removeFile(file: string): Promise<void> {
  await rm(file, { force: true })
}

/**
 * Tidies up: drafts of processes that were killed, and the entries written longest ago where there
 * are more than `max`, for every change of a server's configuration leaves one behind.
 */
export async function sweepFolder(folder: string, max: number, now: number): Promise<void> {
  const files = await readFolder(folder)
  const abandoned = files.filter(
    ({ file, changed }) => file.endsWith('.tmp') && now - changed > abandonedAfter,
  )
  const entries = files.filter(({ file }) => file.endsWith('.json'))
  const oldest = entries.sort((a, b) => b.changed - a.changed).slice(max)
  for (const { file } of [...abandoned, ...oldest]) await removeFile(file)
}

interface FolderFile {
  readonly file: string
  readonly changed: number
}

async function readFolder(folder: string): Promise<FolderFile[]> {
  const files: FolderFile[] = []
  for (const name of await readNames(folder)) {
    const file = join(folder, name)
    try {
      const found = await stat(file)
      if (found.isFile()) files.push({ file, changed: found.mtimeMs })
    } catch {
      // Another process was quicker to remove it.
    }
  }
  return files
}

async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
