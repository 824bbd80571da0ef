import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'

/** What one provider keeps: its own adapter is shared by all of a process, and warns of itself. */
export function createMemoryAdapter(): AdapterFactory {
  const kept = new Map<string, AdapterPayload>()
  const find = (matches: (payload: AdapterPayload) => boolean) =>
    [...kept.values()].find((payload) => matches(payload))
  return (name): Adapter => ({
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
}
