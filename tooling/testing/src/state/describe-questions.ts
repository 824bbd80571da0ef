import type { NewQuestion } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../test-clock.ts'
import type { OpenPlace } from './place.ts'

const ann = { id: 'ann' }
const bob = { id: 'bob', issuer: 'https://idp.example' }

function question(id: string, change: Partial<NewQuestion> = {}): NewQuestion {
  const what = { method: 'elicitation/create', params: { message: 'Which?', extra: null } }
  return { id, principal: ann, root: 'thread', asker: 'run', ...what, askedAt: 1, ...change }
}

/** Whatever questions are kept in, this holds. */
export function describeQuestions(name: string, open: OpenPlace): void {
  describe(`questions in ${name}`, () => {
    test('are open until the first answer', async () => {
      await using place = await open(createTestClock())
      const { questions } = place.state
      const asked = await questions.ask(question('q'))
      expect(asked).toEqual({ ...question('q'), state: 'open' })
      expect(await questions.ask(question('q', { method: 'other' }))).toEqual(asked)
      const value = { action: 'accept', content: { which: false } }
      expect(await questions.answer('q', { value, by: bob, at: 2 })).toBe(true)
      expect(await questions.answer('q', { value: {}, by: ann, at: 3 })).toBe(false)
      expect(await questions.void('q', { reason: 'late', at: 3 })).toBe(false)
      expect(await questions.answer('unknown', { value, by: bob, at: 2 })).toBe(false)
      const answered = { ...asked, state: 'answered', answer: value, answeredBy: bob, closedAt: 2 }
      expect(await questions.get('q')).toEqual(answered)
      expect(await questions.ask(question('q'))).toEqual(answered)
    })

    test('become void with their asker, and then cannot be answered', async () => {
      await using place = await open(createTestClock())
      const { questions } = place.state
      const asker = 'connection'
      await questions.ask(question('a', { asker, askedAt: 1 }))
      await questions.ask(question('b', { asker, askedAt: 2 }))
      await questions.ask(question('c', { asker, askedAt: 3 }))
      await questions.ask(question('d'))
      await questions.answer('b', { value: {}, by: ann, at: 4 })
      const reason = 'The server that asked has died.'
      const closed = await questions.voidAsker(asker, { reason, at: 5 })
      expect(closed.map(({ id }) => id)).toEqual(['a', 'c'])
      expect(closed[0]).toMatchObject({ state: 'void', reason, closedAt: 5 })
      expect(await questions.voidAsker(asker, { reason, at: 6 })).toEqual([])
      expect(await questions.answer('a', { value: {}, by: ann, at: 6 })).toBe(false)
      expect(await questions.void('d', { reason: 'cancelled', at: 7 })).toBe(true)
      expect(await questions.get('a')).toEqual(closed[0])
      expect((await questions.get('b'))?.state).toBe('answered')
      expect(await questions.forget(5)).toBe(1)
      expect(await questions.get('b')).toBeUndefined()
      expect((await questions.list()).entries).toHaveLength(3)
    })

    test('are listed by who may answer, by where they are seen and by state', async () => {
      await using place = await open(createTestClock())
      const { questions } = place.state
      await questions.ask(question('a', { askedAt: 1 }))
      await questions.ask(question('b', { askedAt: 2, root: 'other' }))
      await questions.ask(question('c', { askedAt: 3, principal: bob }))
      await questions.ask(question('d', { askedAt: 3 }))
      await questions.void('a', { reason: 'cancelled', at: 4 })
      const list = async (query: Parameters<typeof questions.list>[0]) =>
        (await questions.list(query)).entries.map(({ id }) => id)
      expect(await list({})).toEqual(['d', 'c', 'b', 'a'])
      expect(await list({ principal: ann })).toEqual(['d', 'b', 'a'])
      expect(await list({ principal: { id: 'bob' } })).toEqual([])
      expect(await list({ root: 'thread', state: 'open' })).toEqual(['d', 'c'])
      const first = await questions.list({ limit: 3 })
      expect(first.entries).toHaveLength(3)
      expect(await questions.list({ limit: 3, cursor: first.next })).toMatchObject({
        entries: [{ id: 'a' }],
      })
    })
  })
}
