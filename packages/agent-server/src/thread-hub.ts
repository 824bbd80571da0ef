import type { Clock } from '@mobius-mcp/protocol'

/** What can change of a thread. */
export type ThreadPart = 'history' | 'progress' | 'elicitation' | 'info'

/** Deltas come faster than anybody reads. */
const calm = 50

/** Tells whoever looks on which threads have changed, whether those are in use at the time or not. */
export class ThreadHub {
  readonly #clock: Clock
  readonly #watchers = new Map<string, Map<ThreadPart, Set<() => void>>>()
  readonly #all = new Set<(thread: string, part: ThreadPart) => void>()
  /** Threads whose progress was just told, and whether there has been more since. */
  readonly #calming = new Map<string, boolean>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  changed(thread: string, part: ThreadPart): void {
    if (part !== 'progress') this.#tell(thread, part)
    else if (this.#calming.has(thread)) this.#calming.set(thread, true)
    else {
      this.#tell(thread, part)
      this.#calming.set(thread, false)
      this.#clock.set(() => {
        const isMore = this.#calming.get(thread)
        this.#calming.delete(thread)
        if (isMore) this.changed(thread, part)
      }, calm)
    }
  }

  /** Calls back when a part of a thread has changed, until the returned function is called. */
  watch(thread: string, part: ThreadPart, changed: () => void): () => void {
    const parts = this.#watchers.get(thread) ?? new Map<ThreadPart, Set<() => void>>()
    const watchers = parts.get(part) ?? new Set()
    // The same function may watch twice.
    const watcher = () => changed()
    watchers.add(watcher)
    parts.set(part, watchers)
    this.#watchers.set(thread, parts)
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0) parts.delete(part)
      if (parts.size === 0 && this.#watchers.get(thread) === parts) this.#watchers.delete(thread)
    }
  }

  /** Calls back when anything has changed of any thread, until the returned function is called. */
  watchAll(changed: (thread: string, part: ThreadPart) => void): () => void {
    const watcher = (thread: string, part: ThreadPart) => changed(thread, part)
    this.#all.add(watcher)
    return () => this.#all.delete(watcher)
  }

  isWatched(thread: string): boolean {
    return this.#watchers.has(thread)
  }

  #tell(thread: string, part: ThreadPart): void {
    for (const watcher of this.#watchers.get(thread)?.get(part) ?? []) watcher()
    for (const watcher of this.#all) watcher(thread, part)
  }
}
