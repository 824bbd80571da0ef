import { expect, test } from 'vitest'
import { noHooks } from '../src/index.ts'

test('where nothing is hooked there is one empty chain for everything', () => {
  const chain = noHooks.for('github', 'tools/call', 'request')
  expect(chain.empty).toBe(true)
  expect(noHooks.for('files', '*', 'response')).toBe(chain)
})

test('an empty chain changes nothing and decides nothing', async () => {
  const value = { name: 'search' }
  const calls: unknown[] = []
  const chain = noHooks.for('github', 'tools/call', 'request')
  const outcome = await chain.run(value, async (target) => {
    calls.push(target)
    return { content: [] }
  })
  expect(outcome).toEqual({ value, trace: [] })
  expect(outcome.value).toBe(value)
  expect(calls).toEqual([])
})
