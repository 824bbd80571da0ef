import { join } from 'node:path'
import { openStore } from '@mobius-mcp/store'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import { createTestClock } from '@mobius-mcp/testing/test-clock.ts'
import { expect, test } from 'vitest'
import { asyncMeta, threadMeta } from '../src/index.ts'
import { createGate, openHouse } from './support/house.ts'
import { lastResults, scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

test('in SQLite too, a turn is taken up by another process where the first one left it', async () => {
  await using folder = await openTemporaryFolder()
  const file = join(folder.path, 'state.db')
  const testClock = createTestClock()
  const gate = createGate()
  const box = createToolBox({ wait: gate.wait })
  const models = scriptModels((request) => {
    const count = request.messages.filter(({ role }) => role === 'tool').length
    if (count === 0) return { calls: [['write', { text: 'a' }]] }
    return count === 1 ? { calls: [['wait', {}]] } : (lastResults(request)?.join() ?? '')
  })
  const agents = [{ name: 'main', tools: ['box'] }]
  const shared = { agents, models, servers: [box.definition], testClock }

  await using one = await openStore(file, { clock: testClock })
  await one.leases.beat('one', testClock.now() + 15_000)
  const first = await openHouse({ ...shared, state: one, owner: { id: 'one' } })
  const client = await first.client()
  const { _meta } = await client.chat('main', 'go', { _meta: { [asyncMeta]: true } })
  const thread = (_meta as Record<string, unknown>)[threadMeta]
  await gate.arrived
  await testClock.advance(20_000)

  await using two = await openStore(file, { clock: testClock })
  await two.leases.beat('two', testClock.now() + 15_000)
  await using second = await openHouse({ ...shared, state: two, owner: { id: 'two' } })
  expect(await second.agents.resume()).toBe(1)
  await using again = await second.client()
  const history = () => again.read(`chat://threads/${thread}/history`)
  await expect.poll(async () => (await history()).at(-1)?.type).toBe('end')
  expect(box.made).toEqual(['write a', 'wait'])
  expect((await history()).map(({ type }) => type)).toEqual([
    'user',
    'assistant',
    'result',
    'assistant',
    'result',
    'assistant',
    'end',
  ])
})
