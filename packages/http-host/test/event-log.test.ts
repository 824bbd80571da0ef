import { expect, test } from 'vitest'
import { EventLog } from '../src/event-log.ts'
import { IdleList, type Idler } from '../src/idle-list.ts'
import { ManualClock } from './manual-clock.ts'

function setup(limits = {}) {
  const clock = new ManualClock()
  const all = { maxEvents: 4, maxBytes: 100, maxAge: 1_000, ...limits }
  const log = new EventLog(all, clock, new IdleList<Idler>(clock, all.maxAge))
  const append = (sequence: number, frame = 'x', final = false, channel = 1) =>
    log.append({ channel, sequence, frame, final })
  const kept = (channel = 1) => log.after(channel, 0).map(({ sequence }) => sequence)
  return { clock, log, append, kept }
}

test('the oldest events go beyond the number kept', () => {
  const { append, kept } = setup()
  for (let n = 1; n <= 6; n += 1) append(n)

  expect(kept()).toEqual([3, 4, 5, 6])
})

test('the oldest events go beyond the size kept, but never the newest', () => {
  const { append, kept } = setup()
  append(1, 'x'.repeat(60))
  append(2, 'x'.repeat(40))
  expect(kept()).toEqual([1, 2])
  append(3, 'x')
  expect(kept()).toEqual([2, 3])
  append(4, 'x'.repeat(5_000))
  expect(kept()).toEqual([4])
})

test('the answer of a call outlives what others say', () => {
  const { append, kept } = setup()
  append(1, 'answer', true)
  for (let n = 1; n <= 6; n += 1) append(n, 'x', false, 2)

  expect(kept(1)).toEqual([1])
  expect(kept(2)).toEqual([4, 5, 6])
})

test('events go when they are too old, and after a while of silence nothing is left', () => {
  const { clock, log, append, kept } = setup()
  append(1)
  clock.advance(600)
  append(2, 'x', true)
  clock.advance(400)
  expect(kept()).toEqual([2])
  expect(log.end(1)).toMatchObject({ sequence: 2 })

  clock.advance(600)

  expect(log.end(1)).toBeUndefined()
  expect(clock.timers).toBe(0)
})
