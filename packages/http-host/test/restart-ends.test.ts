import type { Principal } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../src/index.ts'
import { ManualClock } from './manual-clock.ts'
import { createPlace, kill, openFollower, request, who } from './restarts.ts'
import { createHandler, initializeMessage, json, send, settle, TestClient } from './test-client.ts'

describe('nobody but its client can use it:', () => {
  const principals: Record<string, Principal> = {
    ada: { id: 'ada', issuer: 'a', scopes: [] },
    grace: { id: 'grace', issuer: 'a', scopes: [] },
    impostor: { id: 'ada', issuer: 'b', scopes: [] },
    'ada again': { id: 'ada', issuer: 'a', scopes: ['more'] },
  }
  const options = {
    authenticate: (request: HttpRequest) => principals[request.header('x-user') ?? ''],
  }

  test('others find nothing, whether it was brought back or not, and harm nothing', async () => {
    const place = createPlace()
    const first = place.start({}, options)
    const client = await TestClient.open(first.host, { headers: { 'x-user': 'ada' } })
    await kill(first)

    const second = place.start({ who: ({ principal }) => ({ scopes: principal.scopes }) }, options)
    const moved = client.at(second.host)
    const call = request('tools/call', { name: 'who', arguments: {} })
    const intrude = async () => {
      for (const user of ['grace', 'impostor']) {
        expect((await moved.post(call, { 'x-user': user })).status).toBe(404)
        expect((await moved.listen({ 'x-user': user })).status).toBe(404)
        expect((await moved.end({ 'x-user': user })).status).toBe(404)
      }
    }
    await intrude()
    expect(second.heard).toEqual([])
    const [stranger, own] = await Promise.all([
      moved.post(call, { 'x-user': 'grace' }),
      moved.post(call, { 'x-user': 'ada again' }),
    ])
    expect(stranger.status).toBe(404)
    expect(await json(own)).toMatchObject({ result: { scopes: ['more'] } })
    await intrude()
    expect((await moved.post(call)).status).toBe(200)
  })

  test('it is found only where it was opened', async () => {
    const place = createPlace()
    const handler = createHandler(who)
    const anywhere = { route: () => handler }
    const first = place.start({}, anywhere)
    const client = await TestClient.open(first.host, { path: '/mcp/s/one' })
    await kill(first)

    const second = place.start({}, anywhere)
    const headers = { 'mcp-session-id': client.session }
    const call = request('tools/call', { name: 'who', arguments: {} })
    expect((await send(second.host, 'POST', headers, call, '/mcp/s/other')).status).toBe(404)
    expect(second.host.sessions.count).toBe(0)
    expect((await client.at(second.host).call('who')).status).toBe(200)
  })

  test('what is kept of it does not tell its id', async () => {
    const place = createPlace()
    const kept: unknown[] = []
    const sessions = {
      ...place.state.sessions,
      save: async (record: object) => void kept.push(record),
    }
    const store = { sessions, events: place.state.events, owner: 'me' }
    const client = await TestClient.open(place.start({}, { store }).host)

    expect(kept).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toContain(client.session)
  })

  test('where nothing is served any more, it is not found', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await TestClient.open(first.host)
    await kill(first)

    const second = place.start({}, { route: () => undefined })
    expect((await client.at(second.host).call('x')).status).toBe(404)
  })
})

describe('a session that has ended stays ended:', () => {
  test('by its client', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await openFollower(first)
    await client.end()
    await kill(first)

    expect((await client.at(place.start().host).call('x')).status).toBe(404)
  })

  test('by its client after the restart, without being brought back', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await openFollower(first)
    await kill(first)
    const second = place.start()
    const moved = client.at(second.host)

    expect((await moved.end()).status).toBe(204)
    expect((await moved.end()).status).toBe(404)
    expect((await moved.call('x')).status).toBe(404)
    expect(second.heard).toEqual([])
    expect((await client.at(place.start().host).call('x')).status).toBe(404)
  })

  test('by its client after it was brought back', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await openFollower(first)
    await kill(first)
    const second = place.start(who)
    await client.at(second.host).call('who')
    await client.at(second.host).end()
    await kill(second)

    expect((await client.at(place.start().host).call('x')).status).toBe(404)
  })

  test('by its client while it is being brought back', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await openFollower(first)
    await kill(first)
    const second = place.start(who)
    const greeting = Promise.withResolvers<object>()
    second.answers.set('initialize', () => greeting.promise)
    const moved = client.at(second.host)
    const call = moved.call('who')
    await expect.poll(() => second.heard).toHaveLength(1)
    const end = moved.end()
    await settle()
    greeting.resolve({})

    expect((await end).status).toBe(204)
    expect((await call).status).toBe(200)
    expect((await moved.call('who')).status).toBe(404)
    await kill(second)
    expect((await client.at(place.start().host).call('x')).status).toBe(404)
  })

  test('by its handler', async () => {
    const place = createPlace()
    const first = place.start({ leave: ({ session }) => session.close('go away') })
    const client = await TestClient.open(first.host)
    await (await client.call('leave')).text()
    await kill(first)

    expect((await client.at(place.start().host).call('x')).status).toBe(404)
  })

  test('by time, also while no process is there', async () => {
    const place = createPlace()
    const limits = { sessions: { idleTimeout: 60_000 } }
    const first = place.start({}, limits)
    const idle = await TestClient.open(first.host)
    first.clock.advance(60_000)
    const used = await TestClient.open(first.host)
    await kill(first)

    const second = place.start(who, limits)
    second.clock.advance(60_000 + 100 + 59_000)
    expect((await idle.at(second.host).call('who')).status).toBe(404)
    expect((await used.at(second.host).call('who')).status).toBe(200)
    const third = place.start(who, limits)
    third.clock.advance(400_000)
    expect((await used.at(third.host).call('who')).status).toBe(404)
    await settle()
    expect(await place.state.sessions.expire(Number.MAX_SAFE_INTEGER, 0)).toEqual([])
  })

  test('by time, as soon as a process is there again', async () => {
    const place = createPlace()
    const limits = { sessions: { idleTimeout: 60_000 } }
    const first = place.start({}, limits)
    const client = await TestClient.open(first.host)
    const used = await TestClient.open(first.host)
    first.clock.advance(30_000)
    await used.post(request('ping', {}))
    first.clock.advance(15_000)
    await kill(first)

    const clock = new ManualClock()
    // When a session was used is known to a quarter of the time that it lasts.
    clock.advance(80_000)
    const second = place.start(who, { ...limits, clock })
    expect((await client.at(second.host).call('who')).status).toBe(404)
    expect((await used.at(second.host).call('who')).status).toBe(200)
  })

  test('because its handshake failed', async () => {
    const place = createPlace()
    const first = place.start()
    first.answers.set('initialize', () => {
      throw new Error('no')
    })
    await (await send(first.host, 'POST', {}, initializeMessage())).text()
    await kill(first)
    expect(place.writes).toEqual([])
  })
})
