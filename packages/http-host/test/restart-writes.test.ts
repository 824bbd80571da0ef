import type { MessageContext } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createPlace, kill, request, subscribe, who } from './restarts.ts'
import { json, settle, TestClient } from './test-client.ts'

describe('what is written', () => {
  test('is nothing for a call, and one thing for what changes', async () => {
    const place = createPlace()
    const first = place.start(who)
    const client = await TestClient.open(first.host)
    for (let id = 0; id < 10; id += 1) await (await client.call('who', {}, id)).text()
    await settle()
    expect(place.writes).toEqual(['save'])

    await Promise.all([
      client.post(subscribe('x://a')),
      client.post(subscribe('x://b')),
      client.post(request('logging/setLevel', { level: 'error' })),
    ])
    await settle()
    expect(place.writes.slice(1)).toEqual([
      'update {"subscriptions":["x://a","x://b"],"logLevel":"error"}',
    ])
  })

  test('says once in a round which sessions were used', async () => {
    const place = createPlace()
    const first = place.start(who)
    const busy = await TestClient.open(first.host)
    for (let count = 0; count < 1100; count += 1) await TestClient.open(first.host)
    const round = async () => {
      place.writes.length = 0
      first.clock.advance(61_000)
      await settle()
      return place.writes
    }
    // In parts that hold nothing up.
    expect(await round()).toEqual(['touch 500', 'touch 500', 'touch 101'])
    for (let count = 0; count < 100; count += 1) await (await busy.call('who')).text()
    const reader = new EventReader(await busy.listen())
    expect(await round()).toEqual(['touch 1'])
    expect(await round()).toEqual(['touch 1'])
    await reader.cancel()
    expect(await round()).toEqual(['touch 1'])
    expect(await round()).toEqual([])
  })

  test('keeps what is in use on a machine that slept for longer than sessions last', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await TestClient.open(first.host)
    const reader = new EventReader(await client.listen())
    first.clock.sleep(8 * 3_600_000)
    await settle()
    await reader.cancel()

    const second = place.start(who)
    second.clock.advance(8 * 3_600_000)
    expect((await client.at(second.host).call('who')).status).toBe(200)
  })

  test('is not what was refused', async () => {
    const place = createPlace()
    const first = place.start()
    first.answers.set('resources/subscribe', () => Promise.reject(new Error('no')))
    const client = await TestClient.open(first.host)
    await (await client.post(subscribe('x://a'))).text()
    await settle()

    expect(place.writes).toEqual(['save'])
  })

  test('is what handlers remember of the session', async () => {
    const place = createPlace()
    const tools = {
      recall: ({ session }: MessageContext) => ({ value: session.memory?.recall('it') ?? null }),
      remember: ({ session }: MessageContext) => {
        session.memory?.remember('it', { n: 1 })
        session.memory?.remember('__proto__', 2)
      },
    }
    const first = place.start(tools)
    const client = await TestClient.open(first.host)
    expect(await json(await client.call('recall'))).toMatchObject({ result: { value: null } })
    await (await client.call('remember')).text()
    await kill(first)

    const moved = client.at(place.start(tools).host)
    expect(await json(await moved.call('recall'))).toMatchObject({ result: { value: { n: 1 } } })
  })
})

describe('a store', () => {
  test('that cannot be opened is done without, and said to be so once', async () => {
    const place = createPlace()
    const store = () => Promise.reject(new Error('it is newer than this program'))
    const process = place.start(who, { store })
    const client = await TestClient.open(process.host)
    await (await client.post(subscribe('x://a'))).text()

    expect((await client.call('who')).status).toBe(200)
    expect((await client.at(place.start().host).call('who')).status).toBe(404)
    const headers = { 'mcp-session-id': 'unknown' }
    expect((await client.post(request('ping', {}), headers)).status).toBe(404)
    await process.host.close()
    expect(process.errors.map(({ message }) => message)).toEqual([
      'Sessions will not live through a restart: it is newer than this program',
    ])
  })

  test('that is still being opened is waited for', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await TestClient.open(first.host)
    await kill(first)
    const opening = Promise.withResolvers<{
      sessions: typeof place.state.sessions
      events: typeof place.state.events
      owner: string
    }>()
    const second = place.start(who, { store: () => opening.promise })
    const answer = client.at(second.host).call('who')
    await settle()
    opening.resolve({ sessions: place.state.sessions, events: place.state.events, owner: 'second' })

    expect((await answer).status).toBe(200)
  })

  test('that cannot be read says neither that there is a session nor that there is none', async () => {
    const place = createPlace()
    const { state } = place
    const broken = async () => {
      throw new Error('disk full')
    }
    const sessions = { ...state.sessions, get: broken }
    const process = place.start({}, { store: { sessions, events: state.events, owner: 'me' } })
    const client = await TestClient.open(process.host)
    const headers = { 'mcp-session-id': 'unknown' }
    const answer = await client.post(request('ping', {}, 7), headers)

    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await json(answer)).toMatchObject({
      id: 7,
      error: {
        message: 'It could not be looked up whether this session exists. Try again in a moment.',
      },
    })
    expect((await client.end(headers)).status).toBe(503)
    expect(process.errors.map(({ message }) => message)).toEqual(['disk full', 'disk full'])
  })

  test('that cannot be written to harms no session', async () => {
    const place = createPlace()
    const { state } = place
    const broken = async () => {
      throw new Error('disk full')
    }
    const sessions = { ...state.sessions, save: broken }
    const store = { sessions, events: state.events, owner: 'me' }
    const process = place.start(who, { store })
    const client = await TestClient.open(process.host)
    expect((await client.post(subscribe('x://a'))).status).toBe(200)
    await settle()
    expect((await client.call('who')).status).toBe(200)
    expect(process.errors.map(({ message }) => message)).toEqual([
      'What is kept of sessions could not be written: disk full',
    ])
  })
})

describe('a session that another process serves', () => {
  async function held() {
    const place = createPlace()
    const first = place.start(who)
    const client = await TestClient.open(first.host)
    const lease = (until: number) => place.state.leases.beat('process 1', first.clock.now() + until)
    const second = place.start(who)
    const pass = async (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += 500) {
        await settle()
        second.clock.advance(500)
      }
      await settle()
    }
    return { place, client, first, second, lease, pass, moved: client.at(second.host) }
  }

  test('is not taken from it while it lives', async () => {
    const { place, moved, lease, pass, first, client } = await held()
    await lease(15_000)
    const answer = moved.call('who')
    await expect.poll(() => place.writes).toContain('claim')
    await pass(3000)
    await lease(20_000)
    await pass(2000)

    expect((await answer).status).toBe(503)
    expect(await json(await answer)).toMatchObject({
      error: {
        message:
          'Another process serves this session, and has not let it go. Try again in a moment.',
      },
    })
    expect(first.host.sessions.count).toBe(1)
    expect((await client.call('who')).status).toBe(200)
  })

  test('is taken over when its lease has expired, and is waited for until then', async () => {
    const { place, moved, lease, pass } = await held()
    await lease(15_000)
    const answer = moved.call('who')
    await expect.poll(() => place.writes).toContain('claim')
    await pass(16_000)

    expect((await answer).status).toBe(200)
  })

  test('is let go by a process that wakes up too late, and is not ended by it', async () => {
    const { place, moved, client, first } = await held()
    expect((await moved.call('who')).status).toBe(200)
    await (await client.post(subscribe('x://late'))).text()
    await settle()

    expect(first.host.sessions.count).toBe(0)
    expect((await moved.call('who')).status).toBe(200)
    expect(place.writes).not.toContain('delete')
  })

  test('and has ended there is ended here', async () => {
    const { moved, client, first } = await held()
    await moved.end()
    await (await client.post(subscribe('x://late'))).text()
    await settle()

    expect(first.host.sessions.count).toBe(0)
  })

  test('is not brought back where there is no room', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await TestClient.open(first.host)
    await kill(first)
    const second = place.start({ hang: () => new Promise(() => {}) }, { sessions: { max: 1 } })
    void (await TestClient.open(second.host)).call('hang')
    await settle()
    const answer = await client.at(second.host).call('x', {}, 5)

    expect(answer.status).toBe(503)
    expect(await json(answer)).toMatchObject({ id: 5, error: { code: -32005 } })
  })
})
