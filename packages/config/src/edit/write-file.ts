import { randomUUID } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** What a file that was not there may be read by: it may hold secrets. */
const newMode = 0o600

/**
 * Writes a file so that whoever reads it meanwhile sees all of it, before or after. It keeps its
 * mode, and a link stays a link.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const folder = dirname(target)
  await mkdir(folder, { recursive: true })
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => newMode,
  )
  const temporary = join(folder, `.${basename(target)}.${randomUUID()}`)
  try {
    await writeThrough(temporary, text, mode)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function writeThrough(path: string, text: string, mode: number): Promise<void> {
  await using file = await open(path, 'wx', mode)
  // The process's own mask may have taken something away.
  await file.chmod(mode)
  await file.writeFile(text)
  await file.sync()
}
