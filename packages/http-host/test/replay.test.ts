import type { MessageContext, Session } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createTestHost, settle, TestClient } from './test-client.ts'

/** A call that a test speeds on by hand. */
function stepwise() {
  const finish = Promise.withResolvers<object>()
  let context: MessageContext | undefined
  return {
    tool: (given: MessageContext) => {
      context = given
      given.progress({ progress: 0 })
      return finish.promise
    },
    say: (progress: number) => context?.progress({ progress }),
    context: () => context as MessageContext,
    finish: () => finish.resolve({ content: [] }),
  }
}

const answer = { jsonrpc: '2.0', id: 1, result: { content: [] } }

test('a client that lost its stream gets exactly what it missed, and then the rest', async () => {
  const call = stepwise()
  const { host } = createTestHost({ call: call.tool })
  const client = await TestClient.open(host)
  const first = new EventReader(await client.call('call'))
  await first.next()
  call.say(1)
  await first.next()
  const seen = await first.next()
  expect(seen?.id).toBe('1-2')
  await first.cancel()
  call.say(2)
  call.say(3)

  const second = new EventReader(await client.listen({ 'last-event-id': '1-2' }))
  call.say(4)
  call.finish()

  expect((await second.rest()).map(({ id }) => id)).toEqual(['1-3', '1-4', '1-5', '1-6'])
})

test('a client that went away is not a cancel: the answer waits for it', async () => {
  const call = stepwise()
  const { host } = createTestHost({ call: call.tool })
  const client = await TestClient.open(host)
  const first = new EventReader(await client.call('call'))
  await first.next()
  await first.cancel()
  await settle()
  expect(call.context().cancellation.cancelled).toBe(false)
  call.finish()
  await settle()

  const second = new EventReader(await client.listen({ 'last-event-id': '1-0' }))

  expect(await second.message()).toMatchObject({ method: 'notifications/progress' })
  expect(await second.message()).toEqual(answer)
  expect(await second.next()).toBeUndefined()
})

test('streams are replayed apart from each other', async () => {
  const a = stepwise()
  const b = stepwise()
  const { host } = createTestHost({ a: a.tool, b: b.tool })
  const client = await TestClient.open(host)
  for (const [name, id] of [
    ['a', 1],
    ['b', 2],
  ] as const) {
    await (await client.call(name, {}, id)).body?.cancel()
  }
  a.say(10)
  b.say(20)
  a.finish()
  b.finish()
  await settle()

  const ofA = await new EventReader(await client.listen({ 'last-event-id': '1-1' })).rest()
  const ofB = await new EventReader(await client.listen({ 'last-event-id': '2-1' })).rest()

  expect(ofA.map(({ id }) => id)).toEqual(['1-2', '1-3'])
  expect(ofB.map(({ id }) => id)).toEqual(['2-2', '2-3'])
})

test('whoever comes back after all of a call was delivered is told to stop, with 204', async () => {
  const { host } = createTestHost({
    fail: (context) => {
      context.progress({ progress: 1 })
      throw new Error('no')
    },
  })
  const client = await TestClient.open(host)
  const blocks = await new EventReader(await client.call('fail')).rest()

  const again = await client.listen({ 'last-event-id': blocks.at(-1)?.id ?? '' })

  expect(again.status).toBe(204)
  expect(await again.text()).toBe('')
})

test('the stream of a cancelled call is over for whoever comes back to it', async () => {
  const call = stepwise()
  const { host } = createTestHost({ call: call.tool })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('call'))
  const params = { requestId: 1 }
  await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  await reader.rest()

  expect((await client.listen({ 'last-event-id': '1-1' })).status).toBe(204)
})

test('the listening stream is resumed with what was said meanwhile', async () => {
  let session: Session | undefined
  const { host } = createTestHost({
    meet: (context) => {
      session = context.session
      return {}
    },
  })
  const client = await TestClient.open(host)
  await client.call('meet')
  const first = new EventReader(await client.listen())
  session?.notify('notifications/message', { data: 1 })
  await first.next()
  const last = await first.next()
  await first.cancel()
  session?.notify('notifications/message', { data: 2 })
  session?.notify('notifications/tools/list_changed')
  session?.notify('notifications/message', { data: 3 })

  const second = new EventReader(await client.listen({ 'last-event-id': last?.id ?? '' }))
  const heard = [await second.message(), await second.message(), await second.message()]

  expect(heard.map((message) => message?.params ?? message?.method)).toEqual([
    { data: 2 },
    { data: 3 },
    'notifications/tools/list_changed',
  ])
})

test.each(['nonsense', '', '7-1', '0-999', '1-99999999999999999999'])(
  'an id that was never given (%s) begins a clean stream',
  async (id) => {
    const { host } = createTestHost()
    const client = await TestClient.open(host)

    const response = await client.listen({ 'last-event-id': id })

    expect(response.status).toBe(200)
    expect(await new EventReader(response).next()).toBeDefined()
  },
)

test('an id older than what is kept begins a clean stream, once', async () => {
  const { host, clock } = createTestHost(
    { talk: (context) => context.progress({ progress: 1 }) },
    { events: { maxAge: 60_000 } },
  )
  const client = await TestClient.open(host)
  await (await client.call('talk')).text()
  clock.advance(60_000)

  const clean = await client.listen({ 'last-event-id': '1-1' })
  const again = await client.listen({ 'last-event-id': '1-1' })

  expect(clean.status).toBe(200)
  // Else this stream and the real listener's would push each other out for ever.
  expect(again.status).toBe(204)
})

test('a call that says more than is kept drops progress, never its answer', async () => {
  const { host } = createTestHost(
    {
      chatty: (context) => {
        for (let n = 0; n < 50; n += 1) context.progress({ progress: n })
        return { content: [] }
      },
    },
    { events: { maxEvents: 5 } },
  )
  const client = await TestClient.open(host)
  await (await client.call('chatty', {}, 1)).body?.cancel()
  await (await client.call('chatty', {}, 2)).body?.cancel()

  const first = await new EventReader(await client.listen({ 'last-event-id': '1-0' })).rest()
  const second = await new EventReader(await client.listen({ 'last-event-id': '2-0' })).rest()

  expect(first.map(({ id }) => id)).toEqual(['1-51'])
  expect(second.map(({ id }) => id)).toEqual(['2-48', '2-49', '2-50', '2-51'])
})

test('a question waits for its client to come back, but only while it is kept', async () => {
  const errors: unknown[] = []
  const { host, clock } = createTestHost({
    ask: async (context) => {
      const asked = context.ask('elicitation/create', { message: '?' })
      await asked.catch((error: unknown) => errors.push(error))
      return { content: [] }
    },
  })
  const client = await TestClient.open(host)
  await (await client.call('ask')).body?.cancel()
  clock.advance(4 * 60_000)
  const back = new EventReader(await client.listen({ 'last-event-id': '1-0' }))
  expect(await back.message()).toMatchObject({ method: 'elicitation/create' })
  clock.advance(3_600_000)
  expect(errors).toEqual([])

  await back.cancel()
  clock.advance(5 * 60_000)
  await settle()

  expect(errors).toMatchInlineSnapshot(`
    [
      [ProtocolError: The client could not be asked: its connection is gone, and it did not come back for the question.],
    ]
  `)
})

test('with replay switched off a question to a client that went away fails at once', async () => {
  const call = stepwise()
  const { host } = createTestHost({ call: call.tool }, { events: false })
  const client = await TestClient.open(host)
  const reader = new EventReader(await client.call('call'))
  const asked = call.context().ask('roots/list', {})
  await reader.cancel()

  await expect(asked).rejects.toThrow('could not be asked')
  await expect(call.context().ask('roots/list', {})).rejects.toThrow('could not be asked')
  expect((await client.listen({ 'last-event-id': '1-1' })).status).toBe(200)
})

test('nobody else can replay a session', async () => {
  const { host } = createTestHost({ talk: (context) => context.progress({ progress: 1 }) })
  const client = await TestClient.open(host)
  const other = await TestClient.open(host)
  await (await client.call('talk')).text()

  const reader = new EventReader(await other.listen({ 'last-event-id': '1-0' }))

  expect(await reader.next()).toEqual({ id: '0-0', retry: '1000', data: '' })
})
