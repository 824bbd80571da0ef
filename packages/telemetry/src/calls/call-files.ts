import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

/** One file of the record of calls. */
export interface CallFile {
  readonly path: string
  /** Which run of a process wrote it; sorts by the time at which that began. */
  readonly run: string
  /** From 1, in the order in which the run wrote them. */
  readonly part: number
  readonly size: number
  /** When it was last written to: milliseconds since the epoch. */
  readonly changed: number
}

const form = /^(\d{8}T\d{9}Z-[0-9a-f]{8})-(\d+)\.jsonl$/

/** A name for what one process writes from now on. */
export function createRun(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:.]/g, '')
  return `${time}-${randomBytes(4).toString('hex')}`
}

/** Where a run's part lies. */
export function pathOf(folder: string, run: string, part: number): string {
  return join(folder, `${run}-${String(part).padStart(4, '0')}.jsonl`)
}

/** All files of the record, the runs by their beginning, each from its first part to its last. */
export async function listCallFiles(folder: string): Promise<CallFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const files = await Promise.all(names.map((name) => describe(folder, name)))
  return files.filter((file) => file !== undefined).sort(byOrder)
}

/** The runs by their beginning, each from its first part to its last. */
export function byOrder(a: CallFile, b: CallFile): number {
  if (a.run === b.run) return a.part - b.part
  return a.run < b.run ? -1 : 1
}

/** The files of each run. */
export function groupByRun(files: readonly CallFile[]): Map<string, CallFile[]> {
  return Map.groupBy(files, ({ run }) => run)
}

/** Appends to a file that its owner alone can read, and makes it and its folder where they are missing. */
export async function appendToFile(
  folder: string,
  path: string,
  text: string | Buffer,
): Promise<void> {
  try {
    await appendFile(path, text, { mode: 0o600 })
  } catch (error) {
    if (!isMissing(error)) throw error
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await appendFile(path, text, { mode: 0o600 })
  }
}

/** Makes a file as short as it was; false where that fails, unless there is no file. */
export async function cutFile(path: string, size: number): Promise<boolean> {
  try {
    await truncate(path, size)
    return true
  } catch (error) {
    return isMissing(error)
  }
}

/** Removes what was written to longest ago, where there are more files than `max`. */
export async function removeOldest(folder: string, max: number, own: string): Promise<void> {
  const files = await listCallFiles(folder)
  const oldest = files
    .filter(({ run }) => run !== own)
    .sort((a, b) => b.changed - a.changed)
    .slice(Math.max(0, max - files.filter(({ run }) => run === own).length))
  const ownOldest = files.filter(({ run }) => run === own).slice(0, -max)
  for (const { path } of [...oldest, ...ownOldest]) await rm(path, { force: true })
}

async function describe(folder: string, name: string): Promise<CallFile | undefined> {
  const [, run, part] = form.exec(name) ?? []
  if (run === undefined || part === undefined) return undefined
  const path = join(folder, name)
  try {
    const { size, mtimeMs } = await stat(path)
    return { path, run, part: Number(part), size, changed: mtimeMs }
  } catch (error) {
    // Another process was quicker to remove it.
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
