import { expect, test } from 'vitest'
import { IdleList, type Idler } from '../src/idle-list.ts'
import { ManualClock } from './manual-clock.ts'

function setup(timeout = 100) {
  const clock = new ManualClock()
  const list = new IdleList<Idler & { name: string }>(clock, timeout)
  const idle: string[] = []
  const create = (name: string, onIdle?: (entry: Idler & { name: string }) => void) => {
    const entry = {
      name,
      idleSince: 0,
      idleBefore: undefined,
      idleAfter: undefined,
      onIdle() {
        idle.push(name)
        onIdle?.(entry)
      },
    }
    return entry
  }
  return { clock, list, idle, create }
}

test('each entry falls idle its time after it was last heard of, exactly', () => {
  const { clock, list, idle, create } = setup()
  const [a, b] = [create('a'), create('b')]
  list.touch(a)
  clock.advance(30)
  list.touch(b)
  clock.advance(30)
  list.touch(a)

  clock.advance(69)
  expect(idle).toEqual([])
  clock.advance(1)
  expect(idle).toEqual(['b'])
  clock.advance(30)
  expect(idle).toEqual(['b', 'a'])
  expect(clock.timers).toBe(0)
})

test('one timer serves all, and the oldest is known', () => {
  const { clock, list, create } = setup()
  const entries = ['a', 'b', 'c'].map((name) => create(name))
  for (const entry of entries) list.touch(entry)
  expect(clock.timers).toBe(1)
  expect(list.oldest?.name).toBe('a')

  const [a, b] = entries
  if (a && b) {
    list.touch(a)
    list.remove(b)
    list.remove(b)
  }

  expect(list.oldest?.name).toBe('c')
})

test('an entry may come back, and others may leave, while time runs out', () => {
  const { clock, list, idle, create } = setup()
  const other = create('other')
  const again = create('again', (entry) => {
    list.remove(other)
    list.touch(entry)
  })
  list.touch(again)
  list.touch(other)

  clock.advance(250)

  expect(idle).toEqual(['again', 'again'])
})

test('a time-out longer than a timer can be, and none at all, do not spin', () => {
  const long = setup(Number.POSITIVE_INFINITY)
  long.list.touch(long.create('a'))
  long.clock.advance(2 ** 33)
  expect(long.idle).toEqual([])

  const none = setup(0)
  none.list.touch(none.create('b', (entry) => none.idle.length < 5 && none.list.touch(entry)))
  none.clock.advance(10)
  expect(none.idle).toHaveLength(5)
})

test('a list that is cleared forgets its entries and its timer', () => {
  const { clock, list, idle, create } = setup()
  list.touch(create('a'))
  list.clear()
  clock.advance(1_000)

  expect(idle).toEqual([])
  expect(clock.timers).toBe(0)
})
