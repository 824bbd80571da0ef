import { expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createTestHost, initializeMessage, json, send, settle, TestClient } from './test-client.ts'

test('a closing host refuses new work, finishes what is under way, then ends everything', async () => {
  const finish = Promise.withResolvers<object>()
  const { host, clock } = createTestHost({ slow: () => finish.promise })
  const client = await TestClient.open(host)
  const listening = new EventReader(await client.listen())
  await listening.next()
  const pending = client.call('slow')
  await settle()

  const closed = host.close({ deadline: 10_000 })

  const refusals = [
    await send(host, 'POST', {}, initializeMessage()),
    await client.post({ jsonrpc: '2.0', id: 2, method: 'ping' }),
    await client.listen(),
  ]
  for (const response of refusals) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
  }
  const notified = await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled' })
  expect(notified.status).toBe(202)
  finish.resolve({ content: [] })
  await closed
  expect(await json(await pending)).toMatchObject({ result: { content: [] } })
  expect(await listening.next()).toBeUndefined()
  expect(host.sessions.count).toBe(0)
  expect(clock.timers).toBe(0)
})

test('what is not answered by the deadline is told so', async () => {
  let reason: unknown
  const { host, clock } = createTestHost({
    hang: (context) => {
      context.cancellation.listen({ onCancel: (given) => (reason = given) })
      return new Promise(() => {})
    },
  })
  const client = await TestClient.open(host)
  const pending = client.call('hang')
  await settle()

  const closed = host.close({ deadline: 5_000 })
  clock.advance(5_000)
  await closed

  expect(await json(await pending)).toMatchObject({
    id: 1,
    error: { code: -32000, message: expect.stringContaining('shutting down') },
  })
  expect(reason).toBe('the server is shutting down')
  expect(clock.timers).toBe(0)
})

test('a question may still be answered, and a lost stream resumed, while the host closes', async () => {
  const { host } = createTestHost({
    ask: async (context) => ({ answer: await context.ask('roots/list', {}) }),
  })
  const client = await TestClient.open(host)
  const first = new EventReader(await client.call('ask'))
  const question = await first.message()
  await first.cancel()

  const closed = host.close()
  const second = new EventReader(await client.listen({ 'last-event-id': '1-1' }))
  await client.post({ jsonrpc: '2.0', id: question?.id, result: { roots: [] } })

  expect(await second.message()).toMatchObject({ id: 1, result: { answer: { roots: [] } } })
  await closed
})

test('closing twice is fine', async () => {
  const { host } = createTestHost()
  await TestClient.open(host)

  await Promise.all([host.close(), host.close()])
  await host.close()

  expect(host.sessions.count).toBe(0)
})

test('a handshake that is still under way at the deadline is ended too', async () => {
  let reason: unknown
  const { host, clock } = createTestHost(
    {},
    {
      route: () => ({
        onMessage: (_, { session }) => {
          session.ending.listen({
            onCancel: (given) => {
              reason = given
            },
          })
          return new Promise(() => {})
        },
      }),
    },
  )
  const pending = send(host, 'POST', {}, initializeMessage())
  await settle()

  const closed = host.close({ deadline: 1_000 })
  clock.advance(1_000)
  await closed

  expect(await json(await pending)).toMatchObject({ id: 'init', error: { code: -32000 } })
  expect(reason).toBe('the server is shutting down')
})

test('an answer that came just before may be fetched while the host closes', async () => {
  const finish = Promise.withResolvers<object>()
  const { host } = createTestHost({
    hang: () => new Promise(() => {}),
    slow: (context) => {
      context.progress({ progress: 1 })
      return finish.promise
    },
  })
  const client = await TestClient.open(host)
  await (await client.call('slow')).body?.cancel()
  const other = client.call('hang', {}, 2)
  finish.resolve({ content: [] })
  await settle()

  const closed = host.close({ deadline: 0 })
  const response = await client.listen({ 'last-event-id': '1-1' })

  expect(await new EventReader(response).message()).toMatchObject({ id: 1 })
  await client.end()
  await Promise.all([other, closed])
})
