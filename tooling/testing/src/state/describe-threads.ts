import type { Threads } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../test-clock.ts'
import type { OpenPlace } from './place.ts'

const ann = { id: 'ann', scopes: ['a'] }
const bob = { id: 'bob' }
const foreignAnn = { id: 'ann', issuer: 'https://idp.example' }

/** Makes threads named `t00`, `t01`, …, each a millisecond later. */
async function fill(threads: Threads, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const id = `t${String(at).padStart(2, '0')}`
    await threads.create({ id, principal: ann, agent: 'main', title: `Title ${at}`, at })
  }
}

const item = (id: string, text = id) => ({ id, value: { text } })

/** Whatever threads are kept in, this holds. */
export function describeThreads(name: string, open: OpenPlace): void {
  describe(`threads in ${name}`, () => {
    const openThreads = async () => {
      const place = await open(createTestClock())
      return {
        threads: place.state.threads,
        [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
      }
    }

    test('are made once, and found by their principal alone', async () => {
      await using place = await openThreads()
      const { threads } = place
      const made = await threads.create({ id: 't', principal: ann, agent: 'main', at: 5 })
      expect(made).toEqual({
        id: 't',
        principal: { id: 'ann' },
        agent: 'main',
        title: '',
        createdAt: 5,
        updatedAt: 5,
        last: 0,
      })
      expect(await threads.create({ id: 't', principal: ann, agent: 'x', at: 6 })).toEqual(made)
      expect(await threads.create({ id: 't', principal: bob, agent: 'x', at: 6 })).toBeUndefined()
      expect(await threads.get(ann, 't')).toEqual(made)
      for (const other of [bob, foreignAnn]) {
        expect(await threads.get(other, 't')).toBeUndefined()
        expect(await threads.items(other, 't')).toBeUndefined()
        expect(await threads.append(other, 't', { items: [item('a')], at: 7 })).toBeUndefined()
        expect(await threads.rename(other, 't', { title: 'mine', at: 7 })).toBe(false)
        expect(await threads.delete(other, 't')).toBe(false)
        expect(await threads.list(other)).toEqual({ entries: [] })
      }
      expect(await threads.get(ann, 't')).toEqual(made)
    })

    test('keep their items in order, each once, and are read on from a cursor', async () => {
      await using place = await openThreads()
      const { threads } = place
      await threads.create({ id: 't', principal: ann, agent: 'main', at: 1 })
      await threads.append(ann, 't', { items: [item('a'), item('b')], at: 2 })
      const again = { items: [item('b', 'changed'), item('c'), item('c', 'twice')], at: 3 }
      expect(await threads.append(ann, 't', again)).toMatchObject({ last: 3, updatedAt: 3 })
      expect(await threads.append(ann, 't', { ...again, at: 4 })).toMatchObject({ updatedAt: 3 })
      expect(await threads.items(ann, 't')).toEqual([
        { id: 'a', sequence: 1, at: 2, value: { text: 'a' } },
        { id: 'b', sequence: 2, at: 2, value: { text: 'b' } },
        { id: 'c', sequence: 3, at: 3, value: { text: 'c' } },
      ])
      const page = await threads.items(ann, 't', { after: 1, limit: 1 })
      expect(page?.map(({ id }) => id)).toEqual(['b'])
      expect(await threads.items(ann, 't', { after: 3 })).toEqual([])
    })

    test('are listed by pages, the latest first', async () => {
      await using place = await openThreads()
      const { threads } = place
      await fill(threads, 5)
      await threads.append(ann, 't01', { items: [item('a')], at: 100 })
      await threads.rename(ann, 't02', { title: 'Renamed', at: 101 })
      await threads.create({ id: 'u', principal: ann, agent: 'main', at: 4 })
      const ids: string[][] = []
      let cursor: string | undefined
      do {
        const page = await threads.list(ann, { limit: 2, cursor })
        ids.push(page.entries.map(({ id }) => id))
        cursor = page.next
      } while (cursor !== undefined)
      expect(ids).toEqual([
        ['t02', 't01'],
        ['u', 't04'],
        ['t03', 't00'],
      ])
      const bad = threads.list(ann, { cursor: 'made up' })
      await expect(bad).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
    })

    test('are found by a part of their title, by agent and by parent', async () => {
      await using place = await openThreads()
      const { threads } = place
      await fill(threads, 3)
      await threads.create({
        id: 'a',
        principal: ann,
        agent: 'other',
        title: '100% Ödland_',
        at: 9,
      })
      await threads.create({ id: 'b', principal: ann, agent: 'other', parent: 't01', at: 10 })
      await threads.create({ id: 'c', principal: bob, agent: 'main', title: 'Title 9', at: 11 })
      const search = async (query: Parameters<Threads['list']>[1]) =>
        (await threads.list(ann, query)).entries.map(({ id }) => id)
      expect(await search({ search: 'TITLE' })).toEqual(['t02', 't01', 't00'])
      expect(await search({ search: 'tle 1' })).toEqual(['t01'])
      expect(await search({ search: 'ö' })).toEqual(['a'])
      expect(await search({ search: 'O\u0308dland_' })).toEqual(['a'])
      expect(await search({ search: '%' })).toEqual(['a'])
      expect(await search({ search: '_' })).toEqual(['a'])
      expect(await search({ search: 'title', limit: 1 })).toEqual(['t02'])
      expect(await search({ agent: 'other' })).toEqual(['b', 'a'])
      expect(await search({ parent: 't01' })).toEqual(['b'])
      expect(await search({ parent: null })).toEqual(['a', 't02', 't01', 't00'])
      await threads.rename(ann, 't00', { title: 'New name', at: 12 })
      expect(await search({ search: 'new' })).toEqual(['t00'])
    })

    test('are deleted with their items', async () => {
      await using place = await openThreads()
      const { threads } = place
      await fill(threads, 2)
      await threads.append(ann, 't00', { items: [item('a')], at: 5 })
      await threads.append(ann, 't01', { items: [item('a')], at: 5 })
      expect(await threads.delete(ann, 't00')).toBe(true)
      expect(await threads.delete(ann, 't00')).toBe(false)
      expect(await threads.get(ann, 't00')).toBeUndefined()
      expect(await threads.append(ann, 't00', { items: [item('b')], at: 6 })).toBeUndefined()
      await threads.create({ id: 't00', principal: bob, agent: 'main', at: 7 })
      expect(await threads.items(bob, 't00')).toEqual([])
      expect(await threads.items(ann, 't01')).toHaveLength(1)
    })
  })
}
