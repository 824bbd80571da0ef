import { describe, expect, test } from 'vitest'
import {
  createWirePair,
  deadlinesOf,
  initialize,
  type JsonObject,
  type Message,
  type MessageHandler,
  openRelay,
  type RequestId,
  systemClock,
} from '../src/index.ts'
import { errorOf, openConversation, openScripted } from './support/conversation.ts'
import { settle } from './support/test-clock.ts'

/** A client, a relay, and a server that the test plays. */
async function open(client: MessageHandler, capabilities: JsonObject = { roots: {} }) {
  const [near, far] = createWirePair()
  const closing = new AbortController()
  const said: Message[] = []
  far.onmessage = (message) => void said.push(message)
  await far.start()
  const talk = await openConversation(await openRelay(near, closing.signal), { client })
  const greeted = initialize(talk.client, { info: { name: 'c', version: '1' }, capabilities })
  const say = (message: object, relatedRequestId?: RequestId) =>
    far.send({ jsonrpc: '2.0', ...message } as Message, { relatedRequestId })
  /** The id of the last request that reached the server. */
  const last = () =>
    said.findLast((message) => 'id' in message && 'method' in message) as { id: RequestId }
  await say({ id: last().id, result: { protocolVersion: '2025-11-25' } })
  await greeted
  await settle()
  said.length = 0
  return { talk, far, said, say, last, closing }
}

const rooted: MessageHandler = {
  onMessage: (_, { relatedTo }) => ({ roots: [], relatedTo }),
}

describe('what a server asks, behind a relay', () => {
  test('belongs to the only call in flight where the wire does not tell', async () => {
    const { talk, said, say, last } = await open(rooted)
    let id: RequestId | undefined
    const answer = talk.client.request(
      'tools/call',
      {},
      {
        onPending: (each) => {
          id = each.id
        },
      },
    )
    const call = last().id
    await say({ id: 'q', method: 'roots/list' })
    await settle()
    expect(said.at(-1)).toEqual({ jsonrpc: '2.0', id: 'q', result: { roots: [], relatedTo: id } })
    await say({ id: call, result: { done: true } })
    expect(await answer).toEqual({ done: true })
  })

  test('belongs to the session where several calls are in flight, or none', async () => {
    const { talk, said, say } = await open(rooted)
    for (let calls = 0; calls < 3; calls += 2) {
      await say({ id: calls, method: 'roots/list' })
      await settle()
      expect(said.at(-1)).toEqual({
        jsonrpc: '2.0',
        id: calls,
        result: { roots: [], relatedTo: undefined },
      })
      for (let i = 0; i < 2; i++) talk.client.request('tools/call', {}).catch(() => {})
    }
    await talk.client.close()
  })

  test('is refused where the client did not declare it, whomever it belongs to', async () => {
    const { talk, said, say } = await open(rooted, {})
    for (let calls = 0; calls < 3; calls++) {
      await say({ id: calls, method: 'roots/list' })
      await settle()
      expect(said.at(-1)).toMatchObject({ id: calls, error: { code: -32601 } })
      talk.client.request('tools/call', {}).catch(() => {})
    }
    await talk.client.close()
  })

  test('is taken back when the server does, and when its call is cancelled', async () => {
    const aborted: unknown[] = []
    const { talk, said, say } = await open({
      onMessage(message, { cancellation }) {
        if (!('id' in message)) return undefined
        cancellation.listen({ onCancel: (reason) => void aborted.push(reason) })
        return new Promise(() => {})
      },
    })
    const controller = new AbortController()
    const answer = talk.client.request('tools/call', {}, { signal: controller.signal })
    await say({ id: 'q1', method: 'roots/list' })
    await say({
      method: 'notifications/cancelled',
      params: { requestId: 'q1', reason: 'never mind' },
    })
    await say({ id: 'q2', method: 'roots/list' })
    controller.abort(new Error('bored'))
    await expect(answer).rejects.toThrow('bored')
    await settle()
    expect(aborted).toEqual(['never mind', 'bored'])
    const methods = said.map((message) => ('method' in message ? message.method : message))
    expect(methods).toEqual([
      'tools/call',
      'notifications/cancelled',
      {
        jsonrpc: '2.0',
        id: 'q2',
        error: { code: -32003, message: 'roots/list was cancelled: bored' },
      },
    ])
    await talk.client.close()
  })
})

test('progress that comes after its result is nobody’s business', async () => {
  const heard: string[] = []
  const { talk, say, last } = await open({
    onMessage: ({ method }) => void heard.push(method),
  })
  const answer = talk.client.request('tools/call', {})
  const { id } = last()
  await say({ id, result: {} })
  await answer
  await say({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } })
  await say({ method: 'notifications/progress', params: { progressToken: 'ours', progress: 1 } })
  await say({ method: 'notifications/tools/list_changed' })
  expect(heard).toEqual(['notifications/tools/list_changed'])
})

test('a relay keeps no time of its own: the hop before it does', async () => {
  const { talk } = await open(rooted)
  talk.client.request('tools/call', {}).catch(() => {})
  const limits = deadlinesOf(systemClock)
    .entries()
    .map(({ deadline }) => deadline)
  expect(limits.filter((limit) => limit === Number.POSITIVE_INFINITY)).toHaveLength(1)
  await talk.client.close()
  // The server's side ends with the relay's environment, not with one client's session.
})

test('a relay whose server is gone says so, and one that never had a client refuses', async () => {
  const { talk, far } = await open(rooted)
  await far.close()
  expect(await errorOf(talk.client.request('tools/call', {}))).toBe(
    '-32000 tools/call: connection closed: the other end closed the connection',
  )
  const [near, other] = createWirePair()
  await openRelay(near, new AbortController().signal)
  await using server = await openScripted()
  const answers: Message[] = []
  other.onmessage = (message) => void answers.push(message)
  await other.start()
  await other.send({ jsonrpc: '2.0', id: 1, method: 'ours/question' })
  await other.send({ jsonrpc: '2.0', method: 'notifications/ours' })
  expect(answers).toMatchObject([
    { error: { message: 'Method not found: ours/question. No client is connected.' } },
  ])
  expect(server.sent).toEqual([])
})
