import { realpathSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { WatchFolder } from './watch-folder.ts'

/** Watches files and folders, also those that are not there yet. */
export class WatchedPaths implements Disposable {
  readonly #watchFolder: WatchFolder
  readonly #onEvent: () => void
  readonly #onUnwatched: (folder: string, reason: string) => void
  #watchers: { close(): void }[] = []

  constructor(options: {
    readonly watchFolder: WatchFolder
    readonly onEvent: () => void
    readonly onUnwatched: (folder: string, reason: string) => void
  }) {
    this.#watchFolder = options.watchFolder
    this.#onEvent = options.onEvent
    this.#onUnwatched = options.onUnwatched
  }

  /** Watches these instead of those before. No event is lost in between. */
  replace(paths: { readonly files: Iterable<string>; readonly folders: Iterable<string> }): void {
    const before = this.#watchers
    this.#watchers = [...interests(paths)].flatMap(([folder, names]) => this.#watch(folder, names))
    for (const watcher of before) watcher.close()
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers = []
  }

  #watch(folder: string, names: Names): { close(): void }[] {
    const onEvent = (name: string | undefined) => {
      if (name === undefined || names === 'all' || names.has(name) || isSwap(name)) this.#onEvent()
    }
    try {
      return [this.#watchFolder(folder, onEvent)]
    } catch (error) {
      // Where it went away since it was looked at, the folder above it tells when it is back.
      const reason = error instanceof Error ? error.message : String(error)
      if (isFolder(folder)) this.#onUnwatched(folder, reason)
      return []
    }
  }
}

type Names = Set<string> | 'all'

/** Kubernetes swaps the folder that all files of a mounted volume point into. */
function isSwap(name: string): boolean {
  return name.startsWith('..')
}

function interests(paths: {
  readonly files: Iterable<string>
  readonly folders: Iterable<string>
}): Map<string, Names> {
  const found = new Map<string, Names>()
  const add = (path: string) => {
    const parent = nearestFolder(path)
    if (!parent) return
    const names = found.get(parent.folder) ?? new Set()
    if (names !== 'all') found.set(parent.folder, names.add(parent.name))
  }
  for (const path of paths.files) for (const place of placesOf(path)) add(place)
  for (const path of paths.folders) {
    for (const place of placesOf(path)) {
      add(place)
      if (isFolder(place)) found.set(place, 'all')
    }
  }
  return found
}

/** Where it is said to be, and where it really is. */
function placesOf(path: string): string[] {
  try {
    return [...new Set([path, realpathSync(path)])]
  } catch {
    return [path]
  }
}

/** The folder that would tell of it; where that is not there, the one that would tell of that. */
function nearestFolder(path: string): { folder: string; name: string } | undefined {
  const folder = dirname(path)
  if (folder === path) return undefined
  return isFolder(folder) ? { folder, name: basename(path) } : nearestFolder(folder)
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
