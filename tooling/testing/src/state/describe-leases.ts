import { openLeaseHolder } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../test-clock.ts'
import type { OpenPlace } from './place.ts'

/** Whatever leases are kept in, this holds. */
export function describeLeases(name: string, open: OpenPlace): void {
  describe(`leases in ${name}`, () => {
    test('hold until they expire, and never become shorter', async () => {
      await using place = await open(createTestClock())
      const { leases } = place.state
      await leases.beat('one', 200)
      await leases.beat('one', 100)
      await leases.beat('two', 150)
      expect(await leases.find('one')).toEqual({ owner: 'one', until: 200 })
      const live = await leases.live(100)
      expect(live.map(({ owner }) => owner).toSorted()).toEqual(['one', 'two'])
      expect(await leases.live(150)).toEqual([{ owner: 'one', until: 200 }])
      await leases.release('one')
      expect(await leases.find('one')).toBeUndefined()
      expect(await leases.find('two')).toEqual({ owner: 'two', until: 150 })
      expect(await leases.live(150 + 24 * 3_600_000)).toEqual([])
      expect(await leases.find('two')).toBeUndefined()
    })

    test('are prolonged by who holds them, for as long as it lives', async () => {
      const clock = createTestClock(0)
      await using place = await open(clock)
      const { leases } = place.state
      {
        await using holder = await openLeaseHolder({ leases, clock, duration: 3000 })
        expect(await leases.find(holder.id)).toEqual({ owner: holder.id, until: 3000 })
        await clock.advance(1000)
        expect(await leases.find(holder.id)).toEqual({ owner: holder.id, until: 4000 })
        await clock.advance(10_000)
        expect(await leases.live(clock.now())).toMatchObject([{ owner: holder.id }])
      }
      expect(await leases.live(clock.now())).toEqual([])
      await clock.advance(10_000)
      expect(await leases.live(clock.now())).toEqual([])
    })

    test('a sign of life that could not be given is told, and given again in its time', async () => {
      const clock = createTestClock(0)
      await using place = await open(clock)
      const { leases } = place.state
      const problems: unknown[] = []
      let broken = false
      const flaky = {
        ...leases,
        beat: async (owner: string, until: number) => {
          if (broken) throw new Error('The disk is full.')
          await leases.beat(owner, until)
        },
      }
      const onProblem = (problem: unknown) => problems.push(problem)
      await using holder = await openLeaseHolder({
        leases: flaky,
        clock,
        duration: 3000,
        onProblem,
      })
      broken = true
      await clock.advance(1000)
      broken = false
      await clock.advance(1000)
      expect(problems).toEqual([new Error('The disk is full.')])
      expect(await leases.find(holder.id)).toMatchObject({ until: 5000 })
    })
  })
}
