import { expect, test } from 'vitest'
import { interleave } from '../../src/measure/rounds.ts'

test('subjects take turns, and each round another one begins', async () => {
  const order: string[] = []
  const samples = await interleave(['A', 'B', 'C'], 4, async (subject) => order.push(subject))
  expect(order.join('')).toBe('ABCBCACABABC')
  expect([...samples]).toEqual([
    ['A', [1, 6, 8, 10]],
    ['B', [2, 4, 9, 11]],
    ['C', [3, 5, 7, 12]],
  ])
})
