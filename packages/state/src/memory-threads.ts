import { comparePlaces, fromCursor, type Place, toPage } from './page.ts'
import { type PrincipalName, principalKey } from './principal-name.ts'
import {
  foldTitle,
  type Thread,
  type ThreadItem,
  type ThreadQuery,
  type Threads,
} from './threads.ts'

interface Entry {
  thread: Thread
  readonly items: ThreadItem[]
  readonly known: Set<string>
}

/** Makes a store of threads that forgets with the process. */
export function createMemoryThreads(): Threads {
  const entries = new Map<string, Entry>()
  const own = (principal: PrincipalName, id: string) => {
    const entry = entries.get(id)
    return entry && isOf(entry.thread, principal) ? entry : undefined
  }
  return {
    async create({ id, principal, agent, title = '', parent, at }) {
      const known = entries.get(id)
      if (known) return isOf(known.thread, principal) ? known.thread : undefined
      const owner = { id: principal.id, issuer: principal.issuer }
      const times = { createdAt: at, updatedAt: at }
      const thread = { id, principal: owner, agent, title, parent, ...times, last: 0 }
      entries.set(id, { thread, items: [], known: new Set() })
      return thread
    },
    async get(principal, id) {
      return own(principal, id)?.thread
    },
    async list(principal, query = {}) {
      const { limit = 100 } = query
      const fits = filterOf(query)
      const found = [...entries.values()]
        .map(({ thread }) => thread)
        .filter((thread) => isOf(thread, principal) && fits(thread))
        .sort((a, b) => comparePlaces(placeOf(a), placeOf(b)))
      return toPage(found.slice(0, limit + 1), limit, placeOf)
    },
    async rename(principal, id, { title, at }) {
      const entry = own(principal, id)
      if (entry) entry.thread = { ...entry.thread, title, updatedAt: at }
      return entry !== undefined
    },
    async delete(principal, id) {
      return own(principal, id) !== undefined && entries.delete(id)
    },
    async append(principal, id, { items, at }) {
      const entry = own(principal, id)
      if (!entry) return undefined
      for (const item of items) {
        if (entry.known.has(item.id)) continue
        entry.known.add(item.id)
        const last = entry.thread.last + 1
        entry.items.push({ id: item.id, sequence: last, at, value: item.value })
        entry.thread = { ...entry.thread, last, updatedAt: at }
      }
      return entry.thread
    },
    async items(principal, id, { after = 0, limit = 100 } = {}) {
      return own(principal, id)?.items.slice(after, after + limit)
    },
  }
}

function isOf(thread: Thread, principal: PrincipalName): boolean {
  return principalKey(thread.principal) === principalKey(principal)
}

function filterOf({
  search = '',
  agent,
  parent,
  cursor,
}: ThreadQuery): (thread: Thread) => boolean {
  const place = cursor === undefined ? undefined : fromCursor(cursor)
  const folded = foldTitle(search)
  return (thread) =>
    foldTitle(thread.title).includes(folded) &&
    (agent === undefined || thread.agent === agent) &&
    (parent === undefined || (thread.parent ?? null) === parent) &&
    (place === undefined || comparePlaces(placeOf(thread), place) > 0)
}

function placeOf({ updatedAt, id }: Thread): Place {
  return { at: updatedAt, id }
}
