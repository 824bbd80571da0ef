import { expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createTestHost, settle, TestClient, type Tool } from './test-client.ts'

const result = { content: [] }

/** A tool that says something, waits until a test lets it go on, and says a lot. */
function flooding(count: number) {
  const begin = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const tool: Tool = async (context) => {
    context.progress({ progress: 0 })
    await begin.promise
    for (let n = 0; n < count; n += 1) {
      context.notify('notifications/message', { data: 'x'.repeat(99) })
    }
    await end.promise
    return result
  }
  const go = async () => {
    begin.resolve()
    await settle()
  }
  return { tool, go, finish: end.resolve }
}

test('a reader that is too slow is cut off, and the answer is there when it comes back', async () => {
  const { tool, go, finish } = flooding(30)
  const { host, clock } = createTestHost({ tool }, { maxQueued: 2_000 })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('tool'))
  await reader.next()
  await go()
  clock.advance(15_000)
  await expect(reader.rest()).rejects.toThrow('too slow')
  finish()

  const again = await client.listen({ 'last-event-id': '1-0' })
  const messages = (await new EventReader(again).rest()).map(({ data }) => JSON.parse(data ?? ''))
  expect(messages).toHaveLength(32)
  expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result })
})

test('a reader with little to take may take its time', async () => {
  const { tool, go, finish } = flooding(10)
  const { host, clock } = createTestHost({ tool }, { maxQueued: 2_000 })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('tool'))
  await reader.next()
  await go()

  clock.advance(3_600_000)
  finish()

  expect((await reader.rest()).filter(({ data }) => data)).toHaveLength(12)
})

test('a burst cuts nobody off', async () => {
  const { tool, go, finish } = flooding(200)
  const { host } = createTestHost({ tool }, { maxQueued: 5_000 })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('tool'))
  await reader.next()
  await go()
  finish()

  expect(await reader.rest()).toHaveLength(202)
})

test('more than any burst is too much at once', async () => {
  const { tool, go } = flooding(300)
  const { host } = createTestHost({ tool }, { maxQueued: 2_000 })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('tool'))
  await reader.next()
  await go()

  await expect(reader.rest()).rejects.toThrow('too slow')
})

test('an answer of any size passes, however little may wait', async () => {
  const text = 'x'.repeat(3_000_000)
  const { host } = createTestHost(
    {
      big: (context) => {
        context.progress({ progress: 1 })
        return { text }
      },
    },
    { maxQueued: 1_000 },
  )
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('big'))

  await reader.message()
  expect(await reader.message()).toEqual({ jsonrpc: '2.0', id: 1, result: { text } })
})
