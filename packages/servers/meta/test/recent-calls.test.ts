import {
  type JsonObject,
  localPrincipal,
  type MessageHandler,
  openInProcess,
  type Principal,
  refusingCaller,
  type Session,
} from '@mobius-mcp/protocol'
import { createTestClock } from '@mobius-mcp/testing'
import { expect, test } from 'vitest'
import { createMetaServer } from '../src/index.ts'
import { createWorld, type World } from './support/world.ts'

const uri = 'call:///recent'
const anna: Principal = { id: 'anna', issuer: 'keys', scopes: [] }
const operator: Principal = { id: 'olga', issuer: 'keys', scopes: ['operator'] }

test.each([
  { who: 'of the machine’s own user', principal: localPrincipal, ids: ['1'] },
  { who: 'of a principal', principal: anna, ids: ['2'] },
  {
    who: 'of a namesake that somebody else vouches for',
    principal: { ...anna, issuer: 'x' },
    ids: [],
  },
  { who: 'of everybody, for an operator', principal: operator, ids: ['1', '2'] },
])('shows the calls $who', async ({ principal, ids }) => {
  const { open } = await createStage()
  expect(await idsSeenBy(open(principal).session)).toEqual(ids)
})

test('one handler for all shows each what is theirs', async () => {
  const { open, world } = await createStage()
  const sessions = [localPrincipal, anna, operator].map((principal) => open(principal).session)
  world.addCall({ principal: 'anna', issuer: 'keys' })
  expect(await Promise.all(sessions.map(idsSeenBy))).toEqual([['1'], ['2', '3'], ['1', '2', '3']])
})

test('tells of new calls four times a second at most, however many there are', async () => {
  const { open, world, clock } = await createStage()
  const { session, updates } = open(localPrincipal)
  await session.request('resources/subscribe', { uri })
  for (let call = 0; call < 100; call++) world.addCall()
  expect(updates).toEqual([])
  await clock.advance(249)
  expect(updates).toEqual([])
  await clock.advance(1)
  expect(updates).toEqual([uri])
  await clock.advance(10_000)
  expect(updates).toEqual([uri])
  for (let call = 0; call < 40; call++) {
    world.addCall()
    await clock.advance(25)
  }
  expect(updates).toHaveLength(5)
  expect(clock.timers).toBe(0)
})

test('tells nobody of calls that they cannot see', async () => {
  const { open, world, clock } = await createStage()
  const clients = [localPrincipal, anna, operator].map(open)
  for (const { session } of clients) await session.request('resources/subscribe', { uri })
  world.addCall({ principal: 'anna', issuer: 'keys' })
  await clock.advance(1_000)
  expect(clients.map(({ updates }) => updates.length)).toEqual([0, 1, 1])
})

test.each(['takes it back', 'ends'])('tells a subscriber nothing more once it %s', async (how) => {
  const { open, world, clock } = await createStage()
  const { session, updates } = open(localPrincipal)
  const before = world.watchers
  await session.request('resources/subscribe', { uri })
  expect(world.watchers).toBe(before + 1)
  world.addCall()
  if (how === 'ends') await session.close()
  else await session.request('resources/unsubscribe', { uri })
  await clock.advance(1_000)
  expect(updates).toEqual([])
  expect(world.watchers).toBe(before)
  expect(clock.timers).toBe(0)
})

test('watches nothing any more when its host ends', async () => {
  const { world, close } = await createStage()
  expect(world.watchers).toBe(1)
  close()
  expect(world.watchers).toBe(0)
})

interface Client {
  readonly session: Session
  readonly updates: unknown[]
}

/** One meta server for any number of sessions, on a clock that stands still. */
async function createStage() {
  const world: World = createWorld()
  const clock = createTestClock()
  const closing = new AbortController()
  const handler = await createMetaServer({ ...world.dependencies, clock }).create({
    folder: '.',
    closing: closing.signal,
    callerFor: () => refusingCaller,
  })
  const open = (principal: Principal): Client => {
    const updates: unknown[] = []
    const client: MessageHandler = {
      onMessage({ method, params }) {
        if (method === 'notifications/resources/updated') updates.push(params?.uri)
      },
    }
    return {
      session: openInProcess(handler, { client, principal, clock, crossing: 'frozen' }),
      updates,
    }
  }
  return { world, clock, open, close: () => closing.abort() }
}

async function idsSeenBy(session: Session): Promise<unknown[]> {
  const { contents } = await session.request('resources/read', { uri })
  const [content] = contents as { text: string }[]
  const { calls } = JSON.parse(content?.text ?? '') as { calls: JsonObject[] }
  return calls.map(({ id }) => id)
}
