import type { Session } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createTestHost, settle, TestClient } from './test-client.ts'

const keepalive = { comment: 'keepalive' }

test('every open stream says that it lives after 15 s of silence, from one timer for all', async () => {
  const finish = Promise.withResolvers<object>()
  const { host, clock } = createTestHost({
    slow: (context) => {
      context.progress({ progress: 1 })
      return finish.promise
    },
  })
  const client = await TestClient.open(host)
  const timers = clock.timers
  const listening = new EventReader(await client.listen())
  const calling = new EventReader(await client.call('slow'))
  const other = new EventReader(await (await TestClient.open(host)).listen())
  await listening.next()
  await other.next()
  await calling.next()
  await calling.next()
  const waiting = [listening, calling, other].map((reader) => reader.next())
  await settle()
  expect(clock.timers - timers).toBeLessThanOrEqual(2)

  clock.advance(14_999)
  expect(await Promise.race([...waiting, settle()])).toBeUndefined()
  clock.advance(1)
  expect(await Promise.all(waiting)).toEqual([keepalive, keepalive, keepalive])

  const again = listening.next()
  await settle()
  clock.advance(15_000)
  expect(await again).toEqual(keepalive)
  finish.resolve({})
})

test('a stream that has something to say needs no comments', async () => {
  let session: Session | undefined
  const { host, clock } = createTestHost({
    meet: (context) => {
      session = context.session
      return {}
    },
  })
  const client = await TestClient.open(host)
  await client.call('meet')
  const reader = new EventReader(await client.listen())
  await reader.next()

  for (let n = 0; n < 3; n += 1) {
    clock.advance(10_000)
    session?.notify('notifications/message', { data: n })
    expect(await reader.next()).toMatchObject({ event: 'message' })
  }
  const next = reader.next()
  await settle()
  clock.advance(15_000)
  expect(await next).toEqual(keepalive)
})

test('a call that is silent for so long becomes a stream, so that no proxy cuts it', async () => {
  const finish = Promise.withResolvers<object>()
  const { host, clock } = createTestHost({ slow: () => finish.promise })
  const client = await TestClient.open(host)
  const pending = client.call('slow')
  await settle()

  clock.advance(15_000)

  const reader = new EventReader(await pending)
  expect(await reader.next()).toEqual({ id: '1-0', retry: '1000', data: '' })
  const next = reader.next()
  await settle()
  clock.advance(15_000)
  expect(await next).toEqual(keepalive)
  finish.resolve({ content: [] })
  expect(await reader.message()).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [] } })
  expect(await reader.next()).toBeUndefined()
})

test('no timer stays when nothing is open', async () => {
  const { host, clock } = createTestHost()
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.listen())
  await reader.cancel()
  await client.end()

  clock.advance(3_600_000)

  expect(clock.timers).toBe(0)
})
