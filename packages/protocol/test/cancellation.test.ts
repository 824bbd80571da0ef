import { expect, test } from 'vitest'
import { Cancellation } from '../src/index.ts'

test('every listener is told once, with the reason', () => {
  const cancellation = new Cancellation()
  const told: unknown[] = []
  for (const name of ['a', 'b', 'c']) {
    cancellation.listen({ onCancel: (reason) => told.push([name, reason]) })
  }
  cancellation.cancel('why')
  cancellation.cancel('again')
  expect(told).toEqual([
    ['a', 'why'],
    ['b', 'why'],
    ['c', 'why'],
  ])
  expect([cancellation.cancelled, cancellation.reason]).toEqual([true, 'why'])
})

test('who stopped listening is not told', () => {
  const cancellation = new Cancellation()
  const told: string[] = []
  const listeners = ['a', 'b', 'c'].map((name) => ({ onCancel: () => told.push(name) }))
  for (const listener of listeners) cancellation.listen(listener)
  for (const listener of listeners.slice(0, 2)) cancellation.unlisten(listener)
  cancellation.cancel('why')
  expect(told).toEqual(['c'])
})

test('a signal follows it, whether it was read before or after', () => {
  const [early, late] = [new Cancellation(), new Cancellation()]
  const { signal } = early
  const error = new Error('why')
  for (const each of [early, late]) each.cancel(error)
  expect(signal.reason).toBe(error)
  expect(late.signal.reason).toBe(error)
  expect(early.signal).toBe(signal)
})

test('a signal throws an error that fetch and its like would throw, where the reason is a text', () => {
  const cancellation = new Cancellation()
  cancellation.cancel('the client went away')
  expect(cancellation.signal.reason).toEqual(new DOMException('the client went away', 'AbortError'))
})

test('a listener that throws does not keep it from the others', () => {
  const told: string[] = []
  const failing = (name: string) => ({
    onCancel() {
      told.push(name)
      throw new Error(name)
    },
  })
  const one = new Cancellation()
  one.listen(failing('a'))
  one.listen({ onCancel: () => told.push('b') })
  expect(() => one.cancel('why')).toThrow('a')
  const two = new Cancellation()
  two.listen(failing('c'))
  two.listen(failing('d'))
  expect(() => two.cancel('why')).toThrow('Several listeners failed')
  expect(told).toEqual(['a', 'b', 'c', 'd'])
})
