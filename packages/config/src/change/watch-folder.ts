import { watch } from 'node:fs'

/**
 * Tells of each change in a folder, with the name of what changed where that is known. Throws where
 * the folder is not there.
 */
export type WatchFolder = (
  path: string,
  onEvent: (name: string | undefined) => void,
) => { close(): void }

/**
 * Node's own. A folder and not its files: editors and `kubectl` put another file in a file's place,
 * and who watches the file watches the one that is gone.
 */
export const watchFolder: WatchFolder = (path, onEvent) => {
  const watcher = watch(path, { persistent: false }, (_, name) => onEvent(name ?? undefined))
  // The folder went away, or may not be seen any longer: whoever listens looks again.
  watcher.on('error', () => onEvent(undefined))
  return watcher
}
