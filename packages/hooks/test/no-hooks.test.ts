import { expect, test } from 'vitest'
import { compileHooks, noHooks } from '../src/index.ts'
import { createSubject } from './support/subject.ts'

test('where nothing is hooked there is one empty chain for everything', () => {
  const chain = noHooks.for('github', 'tools/call', 'request')
  expect(chain.empty).toBe(true)
  expect(noHooks.for('files', '*', 'response')).toBe(chain)
})

test('an empty chain changes nothing, decides nothing and calls nobody', async () => {
  const { calls, subject, runner } = createSubject()
  const outcome = await noHooks.for('github', 'tools/call', 'request').run(subject, runner)
  expect(outcome).toEqual({ message: subject.message, trace: [] })
  expect(outcome.message).toBe(subject.message)
  expect(calls).toEqual([])
})

test('hooks that are none, or all disabled, are the same as no hooks at all', () => {
  const target = { server: 'policy', tool: 'check' }
  expect(compileHooks([])).toBe(noHooks)
  expect(compileHooks([{ id: 'off', point: '*', target, enabled: false }])).toBe(noHooks)
})
