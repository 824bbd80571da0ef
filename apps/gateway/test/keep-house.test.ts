import { createMemoryState, openLeaseHolder } from '@mobius-mcp/state'
import { createTestClock } from '@mobius-mcp/testing'
import { expect, test } from 'vitest'
import { askerOf } from '../src/approval-record.ts'
import { keepHouse } from '../src/keep-house.ts'
import { openOwner } from '../src/open-owner.ts'

const day = 24 * 3_600_000

test('agents are loaded only for turns that somebody has left behind', async () => {
  const clock = createTestClock()
  const state = createMemoryState({ clock })
  let loaded = 0
  using house = keepHouse({
    clock,
    logger: { error: () => {} },
    state: async () => state,
    agents: async () => {
      loaded += 1
      return { resume: async () => 0 }
    },
  })
  await house.ready
  expect(loaded).toBe(0)
  await state.journal.run('left behind', { id: 'dead' }, { kind: 'agent' })
  await clock.advance(15_000)
  expect(loaded).toBe(1)
})

test('turns that wait are looked for at once and every 15 seconds, and nothing is left when it ends', async () => {
  const clock = createTestClock()
  const state = createMemoryState({ clock })
  await state.journal.run('left behind', { id: 'dead' }, { kind: 'agent' })
  const said: string[] = []
  let failure: Error | undefined
  let looked = 0
  const house = keepHouse({
    clock,
    logger: { error: (text: string) => void said.push(text) },
    state: async () => state,
    agents: async () => {
      if (failure) throw failure
      return { resume: async () => (looked += 1) }
    },
  })
  await house.ready
  expect(looked).toBe(1)
  await clock.advance(45_000)
  expect(looked).toBe(4)
  failure = new Error('no database')
  await clock.advance(45_000)
  expect(said).toEqual(['no database'])
  failure = undefined
  await clock.advance(15_000)
  expect(looked).toBe(5)
  house[Symbol.dispose]()
  expect(clock.timers).toBe(0)
})

test('runs that ended and questions that were answered are forgotten after a week', async () => {
  const clock = createTestClock()
  const state = createMemoryState({ clock })
  await using owner = await openLeaseHolder({ leases: state.leases, clock })
  const opening = await state.journal.run('old', owner, { kind: 'agent' })
  if (opening.kind === 'open') await opening.run.end()
  using house = keepHouse({
    clock,
    logger: { error: () => {} },
    state: async () => state,
    agents: async () => ({ resume: async () => 0 }),
  })
  await house.ready
  await clock.advance(6 * day)
  expect(await state.journal.find('old')).toBeDefined()
  await clock.advance(day + 3_600_000)
  expect(await state.journal.find('old')).toBeUndefined()
})

test('an approval is void when neither its process nor its run is there, and open otherwise', async () => {
  const clock = createTestClock()
  const state = createMemoryState({ clock })
  await using owner = await openLeaseHolder({ leases: state.leases, clock })
  await state.journal.run('turn', owner, { kind: 'agent' })
  const ask = (id: string, asker: string, method = 'approval') =>
    state.questions.ask({
      ...{ id, asker, method, params: {}, askedAt: clock.now() },
      ...{ principal: { id: 'local' }, root: 'session' },
    })
  await ask('of this process', askerOf(owner.id))
  await ask('of a dead process', askerOf('dead'))
  await ask('of a turn', 'turn.call-1:0')
  await ask('of a turn that ended', 'ended.call-1:0')
  await ask('of a server', 'dead', 'elicitation/create')
  using house = keepHouse({
    clock,
    logger: { error: () => {} },
    state: async () => state,
    agents: async () => ({ resume: async () => 0 }),
  })
  await house.ready
  const { entries } = await state.questions.list({ state: 'open' })
  expect(entries.map(({ id }) => id).toSorted()).toEqual([
    'of a server',
    'of a turn',
    'of this process',
  ])
})

test('leases of processes that died on this machine are given up at once, and no others', async () => {
  const clock = createTestClock()
  const { leases } = createMemoryState({ clock })
  const logger = { warn: () => {} } as never
  await using first = await openOwner(leases, logger, clock)
  const here = first.id.split('/').slice(0, -2).join('/')
  const until = clock.now() + 60_000
  // No process has an id that large.
  const owners = [`${here}/99999999/dead`, `${here}/${process.ppid}/alive`, 'elsewhere/99999999/x']
  for (const owner of owners) await leases.beat(owner, until)
  await using second = await openOwner(leases, logger, clock)
  const live = (await leases.live(clock.now())).map(({ owner }) => owner)
  expect(live.toSorted()).toEqual([second.id, ...owners.slice(1)].toSorted())
})
