import type { Journal, Run, RunOptions } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../test-clock.ts'
import type { OpenPlace } from './place.ts'

async function openRun(
  journal: Journal,
  id: string,
  owner: string,
  options?: RunOptions,
): Promise<Run> {
  const opening = await journal.run(id, { id: owner }, options)
  if (opening.kind !== 'open') throw new Error(`The run ${id} is ${opening.kind}.`)
  return opening.run
}

function setUp(open: OpenPlace) {
  const clock = createTestClock(1_000_000)
  return open(clock).then((place) => ({
    clock,
    ...place.state,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }))
}

/** Whatever a journal is kept in, this holds. */
export function describeJournal(name: string, open: OpenPlace): void {
  describe(`the journal in ${name}`, () => {
    test('a finished step never runs again: what it gave is given again', async () => {
      await using place = await setUp(open)
      const { journal, leases, clock } = place
      await leases.beat('one', clock.now() + 1000)
      const run = await openRun(journal, 'r', 'one', { kind: 'agent', input: { prompt: 'hi' } })
      let count = 0
      const work = () => ({ count: ++count, none: undefined })
      expect(await run.step('a', {}, work)).toEqual({
        kind: 'finished',
        value: { count: 1 },
        replayed: false,
      })
      await run.release()
      const again = await openRun(journal, 'r', 'one', { kind: 'other', input: 'other' })
      expect([again.kind, again.input, again.resumed]).toEqual(['agent', { prompt: 'hi' }, true])
      expect(await again.step('a', {}, work)).toEqual({
        kind: 'finished',
        value: { count: 1 },
        replayed: true,
      })
      expect(await again.step('nothing', {}, () => undefined)).toMatchObject({ value: undefined })
      expect(await again.step('nothing', {}, () => 1)).toMatchObject({ value: undefined })
      expect(count).toBe(1)
    })

    test('a step that threw throws again, and does not run again', async () => {
      await using place = await setUp(open)
      const run = await openRun(place.journal, 'r', 'one')
      let count = 0
      const fail = () => {
        count += 1
        throw new TypeError('It broke.')
      }
      await expect(run.step('a', {}, fail)).rejects.toThrow(new TypeError('It broke.'))
      await expect(run.step('a', { idempotent: true }, fail)).rejects.toMatchObject({
        code: 'STEP_FAILED',
        message: 'It broke.',
      })
      expect(count).toBe(1)
    })

    test('two calls with one key at once run the step once', async () => {
      await using place = await setUp(open)
      const run = await openRun(place.journal, 'r', 'one')
      const gate = Promise.withResolvers<number>()
      let count = 0
      const work = () => {
        count += 1
        return gate.promise
      }
      const both = [run.step('a', {}, work), run.step('a', {}, work)]
      gate.resolve(7)
      expect(await Promise.all(both)).toMatchObject([{ value: 7 }, { value: 7 }])
      expect(count).toBe(1)
    })

    test('a run is taken over only when its owner’s lease has expired', async () => {
      await using place = await setUp(open)
      const { journal, leases, clock } = place
      const until = clock.now() + 1000
      await leases.beat('one', until)
      await openRun(journal, 'r', 'one', { kind: 'agent' })
      expect(await journal.run('r', { id: 'two' })).toEqual({ kind: 'held', owner: 'one', until })
      expect(await journal.run('r', { id: 'one' })).toEqual({ kind: 'held', owner: 'one', until })
      expect(await journal.list({ abandoned: true })).toEqual([])
      await clock.advance(1000)
      expect(await journal.list({ abandoned: true, kind: 'task' })).toEqual([])
      expect(await journal.list({ abandoned: true, kind: 'agent' })).toMatchObject([{ id: 'r' }])
      await leases.beat('two', clock.now() + 1000)
      expect((await openRun(journal, 'r', 'two')).resumed).toBe(true)
      expect(await journal.find('r')).toMatchObject({ owner: 'two', state: 'open' })
      expect(await journal.list({ abandoned: true })).toEqual([])
    })

    test('what was in flight is interrupted, and runs again only if idempotent', async () => {
      await using place = await setUp(open)
      const { journal, leases, clock } = place
      await leases.beat('one', clock.now() + 1000)
      const run = await openRun(journal, 'r', 'one')
      await run.step('done', {}, () => 'done')
      const gate = Promise.withResolvers<string>()
      const counts = { fragile: 0, sturdy: 0 }
      const work = (key: keyof typeof counts) => () => {
        counts[key] += 1
        return gate.promise
      }
      const cut = [
        run.step('fragile', {}, work('fragile')),
        run.step('sturdy', { idempotent: true }, work('sturdy')),
      ]
      while (counts.fragile + counts.sturdy < 2) await new Promise(setImmediate)
      await clock.advance(1000)
      await leases.beat('two', clock.now() + 1000)
      const next = await openRun(journal, 'r', 'two')
      expect((await journal.steps('r')).map(({ key, state }) => [key, state])).toEqual([
        ['done', 'finished'],
        ['fragile', 'interrupted'],
        ['sturdy', 'started'],
      ])
      // The record says what is idempotent, not who comes later.
      expect(await next.step('fragile', { idempotent: true }, work('fragile'))).toEqual({
        kind: 'interrupted',
        startedAt: 1_000_000,
      })
      const sturdy = await next.step('sturdy', {}, () => 'second')
      expect(sturdy).toEqual({ kind: 'finished', value: 'second', replayed: false })
      expect(counts).toEqual({ fragile: 1, sturdy: 1 })
      expect((await journal.steps('r', { after: 2 })).map(({ attempts }) => attempts)).toEqual([2])

      // The former owner wakes up: nothing of what it did is recorded.
      expect(run.lost.aborted).toBe(false)
      gate.resolve('too late')
      for (const result of await Promise.allSettled(cut)) {
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'RUN_LOST' } })
      }
      expect(run.lost.aborted).toBe(true)
      let ran = false
      const late = run.step('late', {}, () => {
        ran = true
      })
      await expect(late).rejects.toMatchObject({ code: 'RUN_LOST' })
      await expect(run.end()).rejects.toMatchObject({ code: 'RUN_LOST' })
      await run.release()
      expect(ran).toBe(false)
      expect(await journal.find('r')).toMatchObject({ owner: 'two', state: 'open' })
      expect(await next.step('sturdy', {}, () => 'third')).toMatchObject({ value: 'second' })
    })

    test('of many who take over at once, one does', async () => {
      await using place = await setUp(open)
      const { journal, leases, clock } = place
      const owners = ['one', 'two', 'three', 'four']
      for (const owner of owners) await leases.beat(owner, clock.now() + 1000)
      const openings = await Promise.all(owners.map((id) => journal.run('r', { id })))
      expect(openings.map(({ kind }) => kind).toSorted()).toEqual(['held', 'held', 'held', 'open'])
    })

    test('a run that was let go is open to all, one that has ended to nobody', async () => {
      await using place = await setUp(open)
      const { journal, leases, clock } = place
      await leases.beat('one', clock.now() + 1000)
      {
        await using run = await openRun(journal, 'r', 'one')
        await run.step('a', {}, () => 1)
      }
      expect(await journal.list({ abandoned: true })).toMatchObject([{ id: 'r', state: 'open' }])
      const run = await openRun(journal, 'r', 'two')
      await run.end({ answer: 42 })
      const record = { id: 'r', kind: '', state: 'ended', result: { answer: 42 } }
      expect(await journal.run('r', { id: 'two' })).toMatchObject({ kind: 'ended', record })
      await expect(run.step('b', {}, () => 1)).rejects.toMatchObject({ code: 'RUN_LOST' })
      expect(await journal.list({ state: 'ended' })).toMatchObject([record])
      expect(await journal.list({ state: 'open' })).toEqual([])
      expect(await journal.steps('r')).toHaveLength(1)
      await openRun(journal, 'open', 'two')
      expect(await journal.forget(clock.now())).toBe(0)
      expect(await journal.forget(clock.now() + 1)).toBe(1)
      expect(await journal.find('open')).toBeDefined()
      expect(await journal.find('r')).toBeUndefined()
      expect(await journal.steps('r')).toEqual([])
    })

    test('runs do not mix', async () => {
      await using place = await setUp(open)
      const first = await openRun(place.journal, 'first', 'one')
      const second = await openRun(place.journal, 'second', 'one')
      await first.step('a', {}, () => 'first')
      expect(await second.step('a', {}, () => 'second')).toMatchObject({ value: 'second' })
      await place.journal.delete('first')
      expect(await place.journal.steps('second')).toMatchObject([
        { key: 'a', result: 'second', position: 1 },
      ])
    })
  })
}
