import { expect, test } from 'vitest'
import { median, ratioOf } from '../../src/measure/statistic.ts'

test('a ratio is best against best, with the rounds it came from beside it', () => {
  expect(ratioOf([80, 100, 60], [100, 90, 120], 'more')).toEqual({
    best: 100 / 120,
    lowest: 0.5,
    highest: 100 / 90,
  })
})

test('the median of an even number of values lies between the middle two', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([9, 1, 2])).toBe(2)
})
