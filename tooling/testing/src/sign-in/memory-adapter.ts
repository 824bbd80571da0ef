import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'

export interface MemoryAdapter {
  readonly adapter: AdapterFactory
  /** Forgets everything whose kind and id look like this. */
  drop(pattern: RegExp): void
}

/** What one provider keeps: its own adapter is shared by all of a process, and warns of itself. */
export function createMemoryAdapter(): MemoryAdapter {
  const kept = new Map<string, AdapterPayload>()
  const find = (matches: (payload: AdapterPayload) => boolean) =>
    [...kept.values()].find((payload) => matches(payload))
  const adapter = (name: string): Adapter => ({
    async upsert(id, payload) {
      kept.set(`${name} ${id}`, payload)
    },
    find: async (id) => kept.get(`${name} ${id}`),
    findByUid: async (uid) => find((payload) => payload.uid === uid),
    findByUserCode: async (code) => find((payload) => payload.userCode === code),
    async consume(id) {
      const payload = kept.get(`${name} ${id}`)
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    async destroy(id) {
      kept.delete(`${name} ${id}`)
    },
    async revokeByGrantId(grantId) {
      for (const [id, payload] of kept) if (payload.grantId === grantId) kept.delete(id)
    },
  })
  return {
    adapter,
    drop(pattern) {
      for (const id of kept.keys()) if (pattern.test(id)) kept.delete(id)
    },
  }
}
