import { ProtocolError } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createPlace, kill, openFollower, type Place, type Process, request } from './restarts.ts'
import { settle, type TestClient } from './test-client.ts'

/** A session that was subscribed to `x://a` and `x://b`, in a process that is to bring it back. */
async function setUp(): Promise<{ place: Place; second: Process; moved: TestClient }> {
  const place = createPlace()
  const first = place.start()
  const client = await openFollower(first)
  await kill(first)
  const second = place.start()
  return { place, second, moved: client.at(second.host) }
}

const wanted = (process: Process) =>
  process.heard.filter((message) => message.startsWith('resources/'))

async function pass(process: Process, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 500) {
    process.clock.advance(500)
    await settle()
  }
}

test('what could not be subscribed to yet is tried until it works', async () => {
  const { second, moved } = await setUp()
  let down = true
  second.answers.set('resources/subscribe', ({ uri }) => {
    if (down && uri === 'x://b') throw new ProtocolError('SERVER_UNAVAILABLE', 'not yet')
    return {}
  })
  const reader = new EventReader(await moved.listen())
  expect(await reader.message()).toMatchObject({ params: { uri: 'x://a' } })
  await pass(second, 3000)
  down = false
  await pass(second, 300_000)

  expect(wanted(second)).toEqual([
    'resources/subscribe {"uri":"x://a"}',
    ...Array.from({ length: 4 }, () => 'resources/subscribe {"uri":"x://b"}'),
  ])
  expect(await reader.message()).toMatchObject({ params: { uri: 'x://b' } })
})

test('what is refused is given up, and its client learns of it by reading it', async () => {
  const { place, second, moved } = await setUp()
  second.answers.set('resources/subscribe', ({ uri }) => {
    if (uri === 'x://b') throw new ProtocolError('RESOURCE_NOT_FOUND', 'gone')
    return {}
  })
  const reader = new EventReader(await moved.listen())
  expect([await reader.message(), await reader.message()]).toMatchObject([
    { params: { uri: 'x://a' } },
    { params: { uri: 'x://b' } },
  ])
  await pass(second, 10_000)
  await kill(second)

  const third = place.start()
  await moved.at(third.host).call('x')
  expect(wanted(third)).toEqual(['resources/subscribe {"uri":"x://a"}'])
})

test('what the client does not want any more is not subscribed to after all', async () => {
  const { place, second, moved } = await setUp()
  const subscribing = Promise.withResolvers<object>()
  second.answers.set('resources/subscribe', () => subscribing.promise)
  await moved.call('x')
  await (await moved.post(request('resources/unsubscribe', { uri: 'x://a' }))).text()
  subscribing.resolve({})
  await settle()

  expect(wanted(second)).toEqual([
    'resources/subscribe {"uri":"x://a"}',
    'resources/subscribe {"uri":"x://b"}',
    'resources/unsubscribe {"uri":"x://a"}',
    'resources/unsubscribe {"uri":"x://a"}',
  ])
  await kill(second)
  const third = place.start()
  await moved.at(third.host).call('x')
  expect(wanted(third)).toEqual(['resources/subscribe {"uri":"x://b"}'])
})

test('nothing is tried for a session that has ended', async () => {
  const { second, moved } = await setUp()
  second.answers.set('resources/subscribe', () => {
    throw new ProtocolError('SERVER_UNAVAILABLE', 'not yet')
  })
  await moved.call('x')
  await settle()
  const before = wanted(second).length
  await moved.end()
  await second.host.close()
  await settle()
  expect(second.clock.timers).toBe(0)
  await pass(second, 10_000)

  expect(wanted(second)).toHaveLength(before)
})
