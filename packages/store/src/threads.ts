import type { JsonObject } from '@mobius-mcp/protocol'
import {
  foldTitle,
  type PrincipalName,
  principalKey,
  type Thread,
  type ThreadItem,
  type Threads,
  toPage,
} from '@mobius-mcp/state'
import type { Database } from './database.ts'
import { fromPrincipalKey } from './principal.ts'
import type { threadItems, threads } from './schema.ts'
import { listThreads, prepareThreads } from './thread-statements.ts'

export function createStoredThreads(database: Database): Threads {
  const { atomically } = database
  const prepared = prepareThreads(database)
  const ofOwn = (principal: PrincipalName, id: string) => ({
    id,
    principal: principalKey(principal),
  })
  const find = (principal: PrincipalName, id: string) => {
    const row = prepared.find.get(ofOwn(principal, id))
    return row && toThread(row)
  }
  return {
    async create({ id, principal, agent, title = '', parent = null, at }) {
      const own = ofOwn(principal, id)
      return atomically(() => {
        prepared.create.run({ ...own, agent, title, folded: foldTitle(title), parent, at })
        return find(principal, id)
      })
    },
    async get(principal, id) {
      return find(principal, id)
    },
    async list(principal, query = {}) {
      const found = listThreads(database, principal, query).map(toThread)
      return toPage(found, query.limit ?? 100, ({ updatedAt, id }) => ({ at: updatedAt, id }))
    },
    async rename(principal, id, { title, at }) {
      const change = { ...ofOwn(principal, id), title, folded: foldTitle(title), at }
      return prepared.rename.run(change).changes === 1
    },
    async delete(principal, id) {
      return prepared.remove.run(ofOwn(principal, id)).changes === 1
    },
    async append(principal, id, { items, at }) {
      return atomically(() => {
        const thread = find(principal, id)
        if (!thread) return undefined
        let { last } = thread
        for (const item of items) {
          const value = JSON.stringify(item.value)
          const row = { thread: id, sequence: last + 1, id: item.id, at, value }
          last += prepared.append.run(row).changes
        }
        if (last === thread.last) return thread
        prepared.grow.run({ ...ofOwn(principal, id), last, at })
        return { ...thread, last, updatedAt: at }
      })
    },
    async items(principal, id, { after = 0, limit = 100 } = {}) {
      if (!find(principal, id)) return undefined
      return prepared.items.all({ thread: id, after, limit }).map(toItem)
    },
  }
}

function toThread({ folded: _folded, ...row }: typeof threads.$inferSelect): Thread {
  return { ...row, principal: fromPrincipalKey(row.principal), parent: row.parent ?? undefined }
}

function toItem({ id, sequence, at, value }: typeof threadItems.$inferSelect): ThreadItem {
  // Nothing but this writes it.
  return { id, sequence, at, value: JSON.parse(value) as JsonObject }
}
