import type { MemoryLeases } from './memory-leases.ts'
import type { SessionRecord, Sessions } from './sessions.ts'

/** Makes a store of sessions that forgets with the process. */
export function createMemorySessions(leases: MemoryLeases): Sessions {
  const sessions = new Map<string, SessionRecord>()
  const holderOf = ({ owner }: SessionRecord, now: number) => {
    const lease = owner === undefined ? undefined : leases.peek(owner)
    return lease && lease.until > now ? lease : undefined
  }
  return {
    async save(session) {
      const { id, issuer } = session.principal
      sessions.set(session.key, { ...session, principal: { id, issuer } })
    },
    async get(key) {
      return sessions.get(key)
    },
    async claim(key, owner, now) {
      const known = sessions.get(key)
      if (!known) return { kind: 'unknown' }
      const holder = holderOf(known, now)
      if (holder && holder.owner !== owner) return { kind: 'held', ...holder }
      const session = { ...known, owner, seenAt: Math.max(known.seenAt, now) }
      sessions.set(key, session)
      return { kind: 'claimed', session, resumed: known.owner !== owner }
    },
    async update(key, owner, change) {
      const session = sessions.get(key)
      if (session?.owner !== owner) return false
      sessions.set(key, { ...session, ...change })
      return true
    },
    async touch(keys, owner, seenAt) {
      for (const key of keys) {
        const session = sessions.get(key)
        if (session?.owner === owner) sessions.set(key, { ...session, seenAt })
      }
    },
    async delete(key) {
      sessions.delete(key)
    },
    async expire(before, now) {
      const old = [...sessions.values()]
        .filter((session) => session.seenAt < before && !holderOf(session, now))
        .map(({ key }) => key)
      for (const key of old) sessions.delete(key)
      return old.sort()
    },
  }
}
