import type { JsonObject } from '@mobius-mcp/protocol'
import type { Page } from './page.ts'
import type { PrincipalName } from './principal-name.ts'

/** A conversation with an agent. */
export interface Thread {
  readonly id: string
  readonly principal: PrincipalName
  readonly agent: string
  readonly title: string
  /** The thread that it was opened from. */
  readonly parent?: string | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** When something was last appended to it, or it was renamed. */
  readonly updatedAt: number
  /** The sequence of its last item; 0 where it has none. */
  readonly last: number
}

export interface NewThread {
  readonly id: string
  readonly principal: PrincipalName
  readonly agent: string
  readonly title?: string | undefined
  readonly parent?: string | undefined
  readonly at: number
}

/** Something that was said or done in a thread. Never changed. */
export interface ThreadItem {
  /** Unique in its thread, and chosen by who appends it. */
  readonly id: string
  /** Counts the items of the thread from 1 on: the cursor of its readers. */
  readonly sequence: number
  readonly at: number
  readonly value: JsonObject
}

export type NewThreadItem = Pick<ThreadItem, 'id' | 'value'>

/** Which of a principal's threads. */
export interface ThreadQuery {
  /** Part of the title, whatever its case. */
  readonly search?: string | undefined
  readonly agent?: string | undefined
  /** The threads that were opened from this one; with `null`, those that were opened from none. */
  readonly parent?: string | null | undefined
  readonly cursor?: string | undefined
  /** 100 by default. */
  readonly limit?: number | undefined
}

/** Which of a thread's items. */
export interface ItemQuery {
  /** Those after this sequence. From the beginning by default. */
  readonly after?: number | undefined
  /** 100 by default. */
  readonly limit?: number | undefined
}

/**
 * Conversations and what was said in them. A thread belongs to a principal, and to anybody else it
 * is not there. Lists have the latest first.
 */
export interface Threads {
  /** Makes it, unless it is there. Resolves with what is; `undefined` where it is somebody else's. */
  create(thread: NewThread): Promise<Thread | undefined>
  get(principal: PrincipalName, id: string): Promise<Thread | undefined>
  /** @throws StateError `CURSOR_INVALID`. */
  list(principal: PrincipalName, query?: ThreadQuery): Promise<Page<Thread>>
  /** Resolves with whether it is there. */
  rename(
    principal: PrincipalName,
    id: string,
    change: { title: string; at: number },
  ): Promise<boolean>
  /** Removes it with its items. Resolves with whether it was there. */
  delete(principal: PrincipalName, id: string): Promise<boolean>
  /**
   * Appends all of the items, but for those whose ids it has: appending again does no harm. Resolves
   * with the thread as it is then, `undefined` where it is not there.
   */
  append(
    principal: PrincipalName,
    id: string,
    addition: { items: readonly NewThreadItem[]; at: number },
  ): Promise<Thread | undefined>
  /** In their order; `undefined` where the thread is not there. */
  items(
    principal: PrincipalName,
    id: string,
    query?: ItemQuery,
  ): Promise<readonly ThreadItem[] | undefined>
}

/** A title as it is searched: without regard to case and to how its letters are composed. */
export function foldTitle(title: string): string {
  return title.normalize('NFKC').toLowerCase()
}
