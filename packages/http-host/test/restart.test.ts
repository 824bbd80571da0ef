import type { MessageContext } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'
import { createPlace, kill, openFollower, request, subscribe, who } from './restarts.ts'
import { initializeMessage, json, settle, TestClient } from './test-client.ts'

describe('a session whose process was killed', () => {
  test('goes on in the next one: the same session for handlers, with the same client', async () => {
    const place = createPlace()
    const first = place.start(who)
    const client = await TestClient.open(first.host, { version: '2025-06-18' })
    const before = await json(await client.call('who'))
    await kill(first)

    const second = place.start(who)
    const after = await json(await client.at(second.host).call('who'))

    expect(before).toMatchObject({
      result: {
        peer: {
          protocolVersion: '2025-06-18',
          capabilities: { elicitation: {}, sampling: {}, roots: {} },
          info: { name: 'test-client', version: '1' },
        },
      },
    })
    expect(after).toEqual(before)
    expect(second.host.sessions.list()).toMatchObject([
      { client: { name: 'test-client' }, since: first.clock.now() - 100, inFlight: 0 },
    ])
  })

  test('is there as soon as its client knows of it', async () => {
    const place = createPlace()
    const client = await TestClient.open(place.start().host)

    expect((await client.at(place.start(who).host).call('who')).status).toBe(200)
  })

  test('keeps the revision that was agreed on, whatever would be now', async () => {
    const place = createPlace()
    const first = place.start()
    first.answers.set('initialize', () => ({ protocolVersion: '2025-03-26', capabilities: {} }))
    const client = await TestClient.open(first.host)
    await kill(first)

    const second = place.start(who)
    second.answers.set('initialize', () => ({ protocolVersion: '2025-11-25', capabilities: {} }))
    const answer = await json(await client.at(second.host).call('who'))

    expect(second.heard[0]).toBe('initialize test-client 2025-03-26')
    expect(answer).toMatchObject({ result: { peer: { protocolVersion: '2025-03-26' } } })
  })

  test('tells its handler what the client had said, before anything new', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await openFollower(first)
    await (await client.post(request('resources/unsubscribe', { uri: 'x://b' }))).text()
    await kill(first)

    const second = place.start({ call: () => second.heard.push('call') })
    await (await client.at(second.host).call('call')).text()

    expect(second.heard).toEqual([
      'initialize test-client 2025-11-25',
      'notifications/initialized',
      'logging/setLevel {"level":"warning"}',
      'resources/subscribe {"uri":"x://a"}',
      'call',
    ])
  })

  test('tells its client that lists and resources may have changed meanwhile', async () => {
    const place = createPlace()
    const listChanged = { listChanged: true }
    const capabilities = { tools: listChanged, prompts: {}, resources: { subscribe: true } }
    const greet = () => ({ protocolVersion: '2025-11-25', capabilities })
    const first = place.start()
    first.answers.set('initialize', greet)
    const client = await openFollower(first)
    await kill(first)

    const second = place.start()
    second.answers.set('initialize', greet)
    const reader = new EventReader(await client.at(second.host).listen())

    expect([await reader.message(), await reader.message(), await reader.message()]).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x://a' } },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x://b' } },
    ])
  })

  test('is asked as before, under an id that it has not seen', async () => {
    const place = createPlace()
    const asking = {
      ask: async (context: MessageContext) => ({
        answer: await context.ask('elicitation/create', { message: '?' }),
      }),
    }
    const answer = async (client: TestClient) => {
      const reader = new EventReader(await client.call('ask'))
      const question = await reader.message()
      await client.post({ jsonrpc: '2.0', id: question?.id, result: { action: 'accept' } })
      expect(await reader.message()).toMatchObject({ result: { answer: { action: 'accept' } } })
      return Number(question?.id)
    }
    const first = place.start(asking)
    const client = await TestClient.open(first.host)
    const asked = await answer(client)
    await kill(first)

    const second = place.start(asking)
    second.clock.advance(1000)

    expect(await answer(client.at(second.host))).toBeGreaterThan(asked)
  })

  test('lives through one restart after the other', async () => {
    const place = createPlace()
    let process = place.start()
    let client = await openFollower(process)
    for (const uri of ['x://c', 'x://d']) {
      await kill(process)
      process = place.start()
      client = client.at(process.host)
      await (await client.post(subscribe(uri))).text()
    }
    await kill(process)

    const last = place.start()
    await (await client.at(last.host).call('x')).text()

    expect(last.heard.slice(2)).toEqual([
      'logging/setLevel {"level":"warning"}',
      ...['a', 'b', 'c', 'd'].map((name) => `resources/subscribe {"uri":"x://${name}"}`),
    ])
  })

  test('is brought back once, however many requests come at once', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await TestClient.open(first.host)
    await kill(first)

    const second = place.start(who)
    const moved = client.at(second.host)
    const answers = await Promise.all([1, 2, 3].map((id) => moved.call('who', {}, id)))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(second.heard.filter((message) => message.startsWith('initialize'))).toHaveLength(1)
    expect(second.met.size).toBe(1)
  })

  test('is initialized already, as it was before', async () => {
    const place = createPlace()
    const first = place.start()
    const client = await TestClient.open(first.host)
    await kill(first)

    expect((await client.at(place.start().host).post(initializeMessage())).status).toBe(400)
  })
})

test('a session of a gateway that stopped goes on as well, and its calls were told', async () => {
  const place = createPlace()
  const first = place.start({ hang: () => new Promise(() => {}) })
  const client = await openFollower(first)
  const hanging = client.call('hang')
  await settle()
  const closed = first.host.close({ deadline: 1000 })
  first.clock.advance(1000)
  await closed

  expect(await json(await hanging)).toMatchObject({
    error: { message: 'The session ended before the answer came: the server is shutting down' },
  })
  const second = place.start(who)
  expect((await client.at(second.host).call('who')).status).toBe(200)
  expect(second.heard).toContain('resources/subscribe {"uri":"x://a"}')
})
