import { expect, test } from 'vitest'
import { Deadlines, deadlinesOf, systemClock, type Timed } from '../src/index.ts'
import { createTestClock } from './support/test-clock.ts'

function entry(deadline: number, onDeadline: () => void): Timed {
  return { deadline, onDeadline, previous: undefined, next: undefined }
}

test('a deadline fires once, up to one tick late, never early', async () => {
  const clock = createTestClock(0)
  const deadlines = new Deadlines(clock, 50)
  const fired: number[] = []
  deadlines.add(entry(70, () => fired.push(clock.now())))
  deadlines.add(entry(100, () => fired.push(clock.now())))
  await clock.advance(1000)
  expect(fired).toEqual([100, 100])
})

test('a deadline may be moved while it waits', async () => {
  const clock = createTestClock(0)
  const deadlines = new Deadlines(clock, 50)
  const fired: number[] = []
  const moved = entry(100, () => fired.push(clock.now()))
  deadlines.add(moved)
  await clock.advance(60)
  moved.deadline = 300
  await clock.advance(1000)
  expect(fired).toEqual([300])
})

test('an entry can be taken out from the middle, from either end, and twice', () => {
  const deadlines = new Deadlines(createTestClock(0))
  const [a, b, c] = [1, 2, 3].map((at) => entry(at, () => {})) as [Timed, Timed, Timed]
  for (const each of [a, b, c]) deadlines.add(each)
  deadlines.remove(b)
  deadlines.remove(b)
  expect(new Set(deadlines.entries())).toEqual(new Set([a, c]))
  deadlines.remove(c)
  deadlines.remove(a)
  expect(deadlines.entries()).toEqual([])
})

test('what fires may add and remove others', async () => {
  const clock = createTestClock(0)
  const deadlines = new Deadlines(clock, 50)
  const fired: string[] = []
  const later = entry(10_000, () => fired.push('later'))
  deadlines.add(later)
  deadlines.add(
    entry(50, () => {
      fired.push('first')
      deadlines.remove(later)
      deadlines.add(entry(clock.now() + 100, () => fired.push('added')))
    }),
  )
  await clock.advance(20_000)
  expect(fired).toEqual(['first', 'added'])
})

test('one that throws does not stop the others', async () => {
  const clock = createTestClock(0)
  const deadlines = new Deadlines(clock, 50)
  const fired: string[] = []
  deadlines.add(entry(50, () => fired.push('other')))
  deadlines.add(
    entry(50, () => {
      throw new Error('broken')
    }),
  )
  await expect(clock.advance(60)).rejects.toThrow('broken')
  await clock.advance(60)
  expect(fired).toEqual(['other'])
})

test('there is one list for each clock, and no timer while it is empty', async () => {
  const clock = createTestClock(0)
  expect(deadlinesOf(clock)).toBe(deadlinesOf(clock))
  expect(deadlinesOf(clock)).not.toBe(deadlinesOf(createTestClock(0)))
  deadlinesOf(clock).add(entry(10, () => {}))
  expect(clock.timers).toBe(1)
  await clock.advance(100)
  expect(clock.timers).toBe(0)
})

test("the machine's clock calls back once, unless it is told not to", async () => {
  const calls: string[] = []
  const kept = Promise.withResolvers<void>()
  systemClock.clear(systemClock.set(() => calls.push('cleared'), 0))
  // Its timers hold no process, so something else must.
  const alive = setTimeout(() => {}, 10_000)
  systemClock.set(() => kept.resolve(void calls.push('kept')), 0)
  await kept.promise
  clearTimeout(alive)
  expect(calls).toEqual(['kept'])
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000)
})
