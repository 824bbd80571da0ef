import type { SessionRecord } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../test-clock.ts'
import type { OpenPlace } from './place.ts'

function session(key: string, change: Partial<SessionRecord> = {}): SessionRecord {
  return {
    key,
    id: `id-of-${key}`,
    principal: { id: 'ann', issuer: 'https://idp.example' },
    path: '/mcp',
    protocolVersion: '2025-11-25',
    initialize: { capabilities: { elicitation: {} }, clientInfo: { name: 'client' } },
    subscriptions: [],
    owner: 'one',
    createdAt: 1,
    seenAt: 1,
    ...change,
  }
}

/** Whatever sessions are kept in, this holds. */
export function describeSessions(name: string, open: OpenPlace): void {
  describe(`sessions in ${name}`, () => {
    test('are kept as they were, and as they became', async () => {
      await using place = await open(createTestClock())
      const { sessions } = place.state
      await sessions.save(session('s'))
      expect(await sessions.get('s')).toEqual(session('s'))
      expect(await sessions.get('other')).toBeUndefined()
      const memory = { servers: ['github'] }
      const change = { subscriptions: ['file:///a'], logLevel: 'warning', memory, seenAt: 9 }
      expect(await sessions.update('s', 'one', change)).toBe(true)
      expect(await sessions.get('s')).toEqual(session('s', change))
      expect(await sessions.update('s', 'two', { seenAt: 10 })).toBe(false)
      expect(await sessions.update('other', 'one', { seenAt: 10 })).toBe(false)
      await sessions.delete('s')
      expect(await sessions.get('s')).toBeUndefined()
    })

    test('are taken over only from a process that does not live', async () => {
      await using place = await open(createTestClock())
      const { sessions, leases } = place.state
      await leases.beat('one', 100)
      await sessions.save(session('s'))
      expect(await sessions.claim('s', 'two', 50)).toEqual({
        kind: 'held',
        owner: 'one',
        until: 100,
      })
      expect(await sessions.claim('s', 'one', 50)).toMatchObject({
        kind: 'claimed',
        resumed: false,
        session: { owner: 'one', seenAt: 50 },
      })
      expect(await sessions.claim('s', 'two', 100)).toEqual({
        kind: 'claimed',
        resumed: true,
        session: session('s', { owner: 'two', seenAt: 100 }),
      })
      expect(await sessions.update('s', 'one', { seenAt: 101 })).toBe(false)
      expect(await sessions.claim('other', 'two', 100)).toEqual({ kind: 'unknown' })
    })

    test('are noted as seen, many at once, by the process that serves them', async () => {
      await using place = await open(createTestClock())
      const { sessions } = place.state
      for (const key of ['a', 'b', 'c']) await sessions.save(session(key))
      await sessions.save(session('somebody else’s', { owner: 'two' }))
      await sessions.touch(['a', 'c', 'somebody else’s', 'gone'], 'one', 9)
      const seen = async (key: string) => (await sessions.get(key))?.seenAt
      expect(await Promise.all(['a', 'b', 'c', 'somebody else’s'].map(seen))).toEqual([9, 1, 9, 1])
      expect(await sessions.get('gone')).toBeUndefined()
    })

    test('that nobody was seen in are forgotten, but not those of a process that lives', async () => {
      await using place = await open(createTestClock())
      const { sessions, leases } = place.state
      await leases.beat('one', 1000)
      await sessions.save(session('held', { seenAt: 1 }))
      await sessions.save(session('old', { seenAt: 1, owner: 'dead' }))
      await sessions.save(session('nobody’s', { seenAt: 1, owner: undefined }))
      await sessions.save(session('new', { seenAt: 50, owner: 'dead' }))
      expect(await sessions.expire(50, 500)).toEqual(['nobody’s', 'old'])
      expect(await sessions.get('old')).toBeUndefined()
      expect(await sessions.get('held')).toBeDefined()
      expect(await sessions.get('new')).toBeDefined()
    })
  })
}
