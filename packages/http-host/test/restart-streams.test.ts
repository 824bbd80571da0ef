import type { MessageContext, Session } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createPlace, kill } from './restarts.ts'
import { json, settle, TestClient } from './test-client.ts'

/** A call that says something, and ends when the test lets it. */
function stepwise() {
  const finish = Promise.withResolvers<object>()
  let context: MessageContext | undefined
  return {
    tools: {
      call: (given: MessageContext) => {
        context = given
        given.progress({ progress: 0 })
        return finish.promise
      },
    },
    say: (progress: number) => context?.progress({ progress }),
    finish: () => finish.resolve({ content: [] }),
  }
}

/** What a client is sent that comes back for the rest of a call, to its end. */
async function restAfter(client: TestClient, id: string | undefined): Promise<unknown[]> {
  const reader = new EventReader(await client.listen({ 'last-event-id': String(id) }))
  const blocks = await reader.rest()
  return blocks.map(({ data }) => JSON.parse(String(data)))
}

const cutOff = {
  jsonrpc: '2.0',
  id: 1,
  error: {
    code: -32000,
    message:
      'The server was restarted before the answer came: nobody knows whether the call was carried out. Find out before you make it again.',
  },
}

describe('a call that was under way', () => {
  test('is answered with an error to a client that comes back for it, once', async () => {
    const place = createPlace()
    const call = stepwise()
    const first = place.start(call.tools)
    const client = await TestClient.open(first.host)
    const reader = new EventReader(await client.call('call'))
    await reader.next()
    const seen = await reader.next()
    await kill(first)

    const moved = client.at(place.start().host)
    const back = new EventReader(await moved.listen({ 'last-event-id': String(seen?.id) }))
    const [answer, ...more] = await back.rest()

    expect(JSON.parse(String(answer?.data))).toEqual(cutOff)
    expect(more).toEqual([])
    expect((await moved.listen({ 'last-event-id': String(answer?.id) })).status).toBe(204)
    expect((await moved.listen({ 'last-event-id': String(seen?.id) })).status).toBe(200)
  })

  test.each(['7', 7, 0, 'ä/ "-1"', 'x'.repeat(100)])(
    'is known by its id alone (%j), though nothing was kept of it',
    async (id) => {
      const place = createPlace()
      const first = place.start({
        hang: (context) => {
          context.progress({ progress: 0 })
          return new Promise(() => {})
        },
      })
      const client = await TestClient.open(first.host)
      const reader = new EventReader(await client.call('hang', {}, id))
      const primed = await reader.next()
      await kill(first)

      expect(await restAfter(client.at(place.start().host), primed?.id)).toEqual([
        { ...cutOff, id },
      ])
    },
  )

  test('gives what it said and answered while nobody was connected, and no more than that', async () => {
    const place = createPlace()
    const call = stepwise()
    const first = place.start(call.tools)
    const client = await TestClient.open(first.host)
    const reader = new EventReader(await client.call('call'))
    await reader.next()
    call.say(1)
    await reader.next()
    const seen = await reader.next()
    await reader.cancel()
    call.say(2)
    call.finish()
    await settle()
    await kill(first)

    const moved = client.at(place.start().host)
    expect(await restAfter(moved, seen?.id)).toMatchObject([
      { params: { progress: 2 } },
      { id: 1, result: { content: [] } },
    ])
    const early = new EventReader(await moved.listen({ 'last-event-id': '1-1' }))
    expect((await early.rest()).map(({ id }) => id?.slice(0, 3))).toEqual(['1-2', '1-3', '1-4'])
  })

  test('that said something before it was cut off says that first', async () => {
    const place = createPlace()
    const call = stepwise()
    const first = place.start(call.tools)
    const client = await TestClient.open(first.host)
    const reader = new EventReader(await client.call('call'))
    const primed = await reader.next()
    await reader.cancel()
    call.say(1)
    await kill(first)

    expect(await restAfter(client.at(place.start().host), primed?.id)).toMatchObject([
      { params: { progress: 0 } },
      { params: { progress: 1 } },
      { error: cutOff.error },
    ])
  })

  test('does not ask again what its end has made void', async () => {
    const place = createPlace()
    const first = place.start({
      ask: async (context) => {
        context.progress({ progress: 0 })
        await context.ask('elicitation/create', { message: 'Void?' })
      },
    })
    const client = await TestClient.open(first.host)
    const reader = new EventReader(await client.call('ask'))
    const primed = await reader.next()
    await reader.cancel()
    await kill(first)

    expect(await restAfter(client.at(place.start().host), primed?.id)).toMatchObject([
      { params: { progress: 0 } },
      { error: cutOff.error },
    ])
  })

  test('and was cancelled by its client is over', async () => {
    const place = createPlace()
    const first = place.start(stepwise().tools)
    const client = await TestClient.open(first.host)
    const reader = new EventReader(await client.call('call'))
    const primed = await reader.next()
    await reader.cancel()
    const params = { requestId: 1 }
    await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    await kill(first)

    const moved = client.at(place.start().host)
    expect(await restAfter(moved, primed?.id)).toMatchObject([{ params: { progress: 0 } }])
    expect((await moved.listen({ 'last-event-id': '1-1-1' })).status).toBe(204)
  })
})

test('the listening stream is resumed with what was said while its client was away', async () => {
  const place = createPlace()
  let session: Session | undefined
  const meet = {
    meet: (context: MessageContext) => {
      session = context.session
      return {}
    },
  }
  const first = place.start(meet)
  const client = await TestClient.open(first.host)
  await client.call('meet')
  const reader = new EventReader(await client.listen())
  session?.notify('notifications/message', { data: 1 })
  await reader.next()
  const last = await reader.next()
  await reader.cancel()
  session?.notify('notifications/message', { data: 2 })
  session?.notify('notifications/message', { data: 3 })
  await kill(first)

  const second = place.start(meet)
  const moved = client.at(second.host)
  await moved.call('meet')
  const back = new EventReader(await moved.listen({ 'last-event-id': String(last?.id) }))
  session?.notify('notifications/message', { data: 4 })
  expect([await back.message(), await back.message(), await back.message()]).toMatchObject([
    { params: { data: 2 } },
    { params: { data: 3 } },
    { params: { data: 4 } },
  ])
  await back.cancel()
  await kill(second)

  const third = place.start(meet)
  const again = client.at(third.host)
  await again.call('meet')
  const newest = new EventReader(await again.listen({ 'last-event-id': String(last?.id) }))
  expect([await newest.message(), await newest.message(), await newest.message()]).toMatchObject([
    { params: { data: 2 } },
    { params: { data: 3 } },
    { params: { data: 4 } },
  ])
})

test('nothing is kept of what was said to a client that was there', async () => {
  const place = createPlace()
  const written: unknown[] = []
  const events = {
    ...place.state.events,
    append: async (said: readonly unknown[]) => void written.push(...said),
  }
  const store = { sessions: place.state.sessions, events, owner: 'me' }
  const chatty = {
    chatty: (context: MessageContext) => {
      for (let n = 0; n < 50; n += 1) context.progress({ progress: n })
      context.session.notify('notifications/message', { data: 1 })
      return { content: [] }
    },
  }
  const process = place.start(chatty, { store })
  const client = await TestClient.open(process.host)
  const listening = new EventReader(await client.listen())
  for (let id = 1; id <= 5; id += 1) {
    await new EventReader(await client.call('chatty', {}, id)).rest()
  }
  await listening.next()
  await kill(process)

  expect(written).toEqual([])
})

test('no stream takes the number of one before the restart', async () => {
  const place = createPlace()
  const talk = { talk: (context: MessageContext) => context.progress({ progress: 1 }) }
  let process = place.start(talk)
  const client = await TestClient.open(process.host)
  const numbers: number[] = []
  for (let restart = 0; restart < 3; restart += 1) {
    for (let count = 0; count < 3; count += 1) {
      const reader = new EventReader(await client.at(process.host).call('talk'))
      numbers.push(Number((await reader.next())?.id?.split('-')[0]))
    }
    process.clock.advance(1000)
    await kill(process)
    const { clock } = process
    process = place.start(talk)
    process.clock.advance(clock.now() - process.clock.now())
  }

  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  expect(new Set(numbers).size).toBe(9)
})

test('what is too old is not given any more', async () => {
  const place = createPlace()
  const call = stepwise()
  const limits = { events: { maxAge: 60_000 } }
  const first = place.start(call.tools, limits)
  const client = await TestClient.open(first.host)
  const reader = new EventReader(await client.call('call'))
  await reader.cancel()
  call.finish()
  await settle()
  await kill(first)

  const second = place.start({}, limits)
  second.clock.advance(61_000)
  const back = await client.at(second.host).listen({ 'last-event-id': '1-0-1' })
  expect(await new EventReader(back).message()).toEqual(cutOff)
})

test('without a store, and without replay, ids say nothing of requests', async () => {
  const place = createPlace()
  const talk = { talk: (context: MessageContext) => context.progress({ progress: 1 }) }
  const plain = place.start(talk, { store: undefined })
  const client = await TestClient.open(plain.host)
  expect((await new EventReader(await client.call('talk')).next())?.id).toBe('1-0')

  const first = place.start(talk, { events: false })
  const silent = await TestClient.open(first.host)
  expect((await new EventReader(await silent.call('talk')).next())?.id).toBeUndefined()
  await kill(first)
  const moved = silent.at(place.start({}, { events: false }).host)
  expect(await json(await moved.call('x'))).toMatchObject({ error: { code: -32601 } })
})
