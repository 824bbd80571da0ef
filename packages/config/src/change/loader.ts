import { readFile, stat } from 'node:fs/promises'
import type { Configuration } from '../configuration.ts'
import { ConfigError } from '../errors.ts'
import { type FindConfigOptions, findConfig, watchedCandidates } from '../find-config.ts'
import { type LoadConfigOptions, loadWith } from '../load-config.ts'
import { countedPaths, isPartFolder } from '../read/config-folder.ts'
import type { Contributions } from '../read/gather.ts'

interface LoaderOptions extends Omit<LoadConfigOptions, 'allowExec'> {
  readonly find: FindConfigOptions
}

/** Loads, and remembers what it looked at and how that was. */
export class Loader {
  readonly #options: LoaderOptions
  #seen: Contributions = { files: new Set(), folders: new Set() }
  #stamps = new Map<string, string>()

  constructor(options: LoaderOptions) {
    this.#options = options
  }

  get paths(): { readonly files: readonly string[]; readonly folders: readonly string[] } {
    const candidates = watchedCandidates(this.#options.find).filter((path) => !path.includes('://'))
    const folders = [...this.#seen.folders]
    // A candidate may be a folder, or become one.
    const inside = [...folders, ...candidates].flatMap(countedPaths)
    return {
      files: [...this.#seen.files, ...candidates, ...inside],
      folders: folders.filter(isPartFolder),
    }
  }

  async load(): Promise<Configuration | ConfigError> {
    const seen: Contributions = { files: new Set(), folders: new Set() }
    this.#stamps = new Map()
    const { readFile: read = (path: string) => readFile(path, 'utf8') } = this.#options
    const readStamped = async (path: string) => {
      this.#stamps.set(path, await stampOf(path))
      return read(path)
    }
    try {
      const found = await findConfig(this.#options.find)
      const options = {
        ...this.#options,
        readFile: readStamped,
        allowExec: found?.named ?? false,
      }
      return await loadWith(found?.paths ?? [], options, seen)
    } catch (error) {
      if (error instanceof ConfigError) return error
      throw error
    } finally {
      this.#seen = seen
    }
  }

  async isStale(): Promise<boolean> {
    const now = await Promise.all(
      [...this.#stamps].map(async ([path, stamp]) => (await stampOf(path)) !== stamp),
    )
    return now.includes(true)
  }
}

async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch {
    return ''
  }
}
