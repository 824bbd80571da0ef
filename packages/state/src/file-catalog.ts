import type { Catalog, CatalogEntry } from './catalog.ts'
import { entryFile, readText, removeFile, replaceText, sweepFolder } from './catalog-folder.ts'
import { decodeEntry, encodeEntry } from './catalog-format.ts'
import { type CatalogProblem, type CatalogProblemCode, createCatalogProblem } from './errors.ts'
import { createMemoryCatalog, type MemoryCatalog } from './memory-catalog.ts'

export interface FileCatalogOptions {
  /** How many entries are held in memory besides. 1,000 by default. */
  readonly max?: number | undefined
  /** How many files are kept; more are removed when the first one is written. 2,000 by default. */
  readonly maxFiles?: number | undefined
  /** How many changes may wait for the disk. 1,000 by default. */
  readonly maxPending?: number | undefined
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
  /** Told of each file that could not be used or written. */
  readonly onProblem?: ((problem: CatalogProblem) => void) | undefined
}

/** A catalog that outlives the process. */
export interface FileCatalog extends Catalog, AsyncDisposable {
  set(key: string, entry: CatalogEntry): void
  delete(key: string): void
  /** Writes what still waits. Later changes stay in memory. May be called again. */
  close(): Promise<void>
}

/**
 * Keeps a catalog in a folder, one file for each entry, readable by its owner alone. Several
 * processes may use one folder: the last one to write an entry wins, and what a process has once
 * read it does not read again. A file that is damaged or was written by a newer version is ignored
 * and reported, and nothing here ever throws. The folder is made when the first entry is written.
 */
export function openFileCatalog(folder: string, options: FileCatalogOptions = {}): FileCatalog {
  return new FolderCatalog(folder, options)
}

class FolderCatalog implements FileCatalog {
  readonly #folder: string
  readonly #options: FileCatalogOptions
  readonly #memory: MemoryCatalog
  /** What waits for the disk, the oldest first; `undefined` for a removal. */
  readonly #pending = new Map<string, CatalogEntry | undefined>()
  #writing: Promise<void> | undefined
  /** Whose file is being written. */
  #current: string | undefined
  /** Grows with each change, so that a slow read can tell that it is out of date. */
  #changes = 0
  #swept = false
  #closed = false

  constructor(folder: string, options: FileCatalogOptions) {
    this.#folder = folder
    this.#options = options
    this.#memory = createMemoryCatalog({ max: options.max })
  }

  get(key: string): CatalogEntry | undefined | Promise<CatalogEntry | undefined> {
    const entry = this.#memory.get(key)
    if (entry) return entry
    return this.#pending.has(key) ? this.#pending.get(key) : this.#read(key)
  }

  set(key: string, entry: CatalogEntry): void {
    this.#memory.set(key, entry)
    this.#enqueue(key, entry)
  }

  delete(key: string): void {
    this.#memory.delete(key)
    this.#enqueue(key, undefined)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#writing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #read(key: string): Promise<CatalogEntry | undefined> {
    const file = entryFile(this.#folder, key)
    const changes = this.#changes
    const entry = await this.#load(file)
    if (changes === this.#changes) {
      if (entry) this.#memory.set(key, entry)
      return entry
    }
    // Something was changed while the file was read; perhaps this.
    return this.#memory.get(key) ?? (this.#pending.has(key) ? this.#pending.get(key) : entry)
  }

  async #load(file: string): Promise<CatalogEntry | undefined> {
    try {
      const text = await readText(file)
      if (text === undefined) return undefined
      const decoded = decodeEntry(text)
      if (decoded.kind === 'entry') return decoded.entry
      this.#report(decoded.kind === 'newer' ? 'CATALOG_NEWER' : 'CATALOG_CORRUPT', file)
    } catch (error) {
      this.#report('CATALOG_UNREADABLE', file, error)
    }
    return undefined
  }

  #enqueue(key: string, entry: CatalogEntry | undefined): void {
    this.#changes += 1
    if (this.#closed) return
    this.#pending.set(key, entry)
    if (this.#pending.size > (this.#options.maxPending ?? 1000)) this.#dropOldest()
    this.#writing ??= this.#drain()
  }

  #dropOldest(): void {
    for (const key of this.#pending.keys()) {
      if (key === this.#current) continue
      this.#pending.delete(key)
      this.#report('CATALOG_OVERFLOW', entryFile(this.#folder, key))
      return
    }
  }

  async #drain(): Promise<void> {
    await this.#sweep()
    for (const [key, entry] of this.#pending) {
      this.#current = key
      await this.#write(entryFile(this.#folder, key), entry)
      // Not if it was changed again meanwhile: then its turn comes once more.
      if (this.#pending.get(key) === entry) this.#pending.delete(key)
      else this.#pendAgain(key)
    }
    this.#current = undefined
    this.#writing = undefined
  }

  /** A Map visits what is added during the visit, but not what is merely replaced. */
  #pendAgain(key: string): void {
    const entry = this.#pending.get(key)
    this.#pending.delete(key)
    this.#pending.set(key, entry)
  }

  async #write(file: string, entry: CatalogEntry | undefined): Promise<void> {
    try {
      if (entry) await replaceText(this.#folder, file, encodeEntry(entry))
      else await removeFile(file)
    } catch (error) {
      this.#report('CATALOG_NOT_WRITTEN', file, error)
    }
  }

  async #sweep(): Promise<void> {
    if (this.#swept) return
    this.#swept = true
    const { maxFiles = 2000, now = Date.now } = this.#options
    try {
      await sweepFolder(this.#folder, maxFiles, now())
    } catch (error) {
      this.#report('CATALOG_UNREADABLE', this.#folder, error)
    }
  }

  #report(code: CatalogProblemCode, file: string, cause?: unknown): void {
    this.#options.onProblem?.(createCatalogProblem(code, file, cause))
  }
}
