import { describe, expect, test } from 'vitest'
import {
  createWirePair,
  type Message,
  type MessageHandler,
  MessageSession,
  openSession,
  ProtocolError,
} from '../src/index.ts'
import { openConversation, openScripted, silent } from './support/conversation.ts'
import { createTestClock, settle } from './support/test-clock.ts'

describe('a request of ours', () => {
  test('gets the answer with its own id, whatever the order', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const first = peer.session.request('a', {})
    const second = peer.session.request('b', { x: 1 })
    expect(peer.sent).toEqual([
      { jsonrpc: '2.0', id: 1001, method: 'a', params: {} },
      { jsonrpc: '2.0', id: 1002, method: 'b', params: { x: 1 } },
    ])
    await peer.say({ id: 1002, result: { n: 2 } })
    await peer.say({ id: 1001, result: { n: 1 } })
    expect(await Promise.all([first, second])).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('is not answered by the same id as a string', async () => {
    const errors: string[] = []
    await using peer = await openScripted(silent, {
      clock: createTestClock(),
      onError: ({ message }) => errors.push(message),
    })
    const answer = peer.session.request('a', {})
    await peer.say({ id: '1001', result: { wrong: true } })
    await peer.say({ id: 1001, result: { right: true } })
    expect(await answer).toEqual({ right: true })
    expect(errors).toEqual(['Dropped an answer that nobody waits for (id 1001)'])
  })

  test('gets the answer as the peer made it, by reference', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const result = { nothing: null, no: false, deep: { extra: [1] } }
    const answer = peer.session.request('a', {})
    await peer.say({ id: 1001, result })
    expect(await answer).toBe(result)
  })

  test('rejects with the number, text and data that the peer answered', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const answer = peer.session.request('a', {})
    await peer.say({ id: 1001, error: { code: -32042, message: 'Visit us', data: { url: 'u' } } })
    await expect(answer).rejects.toMatchObject({
      code: 'REMOTE',
      number: -32042,
      message: 'Visit us',
      data: { url: 'u' },
    })
  })

  test('drops an answer that comes twice, late or without an id', async () => {
    const errors: Error[] = []
    await using peer = await openScripted(silent, {
      clock: createTestClock(),
      onError: (error) => errors.push(error),
    })
    const answer = peer.session.request('a', {})
    await peer.say({ id: 1001, result: { n: 1 } })
    await peer.say({ id: 1001, result: { n: 2 } })
    await peer.say({ error: { code: -32700, message: 'Parse error' } })
    await peer.say({ id: null, error: { code: -32700, message: 'Parse error' } })
    expect(await answer).toEqual({ n: 1 })
    expect(errors).toHaveLength(3)
  })

  test('rejects when the message cannot be sent', async () => {
    const [near] = createWirePair()
    near.send = () => Promise.reject(new Error('No route to host'))
    const session = await openSession(near, silent)
    await expect(session.request('a', {})).rejects.toThrow('No route to host')
    expect((session as MessageSession).awaiting).toBe(0)
  })

  test('fails by what the wire itself says, with its name', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const answer = peer.session.request('tools/call', {}, { label: 'github/search' })
    const error = { code: -32000, message: 'the stream was cut' }
    const extra = { relatedRequestId: 1001, failure: true }
    const receive = peer.session as unknown as MessageSession
    receive.receive({ jsonrpc: '2.0', id: 1001, error }, extra)
    await expect(answer).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: 'github/search: the stream was cut',
    })
  })

  test('never has an id that another session on the same clock has had', async () => {
    const clock = createTestClock()
    await using first = await openScripted(silent, { clock })
    const ids = ['a', 'b'].map((method) => first.session.request(method, {}))
    for (const id of ids) id.catch(() => {})
    await using second = await openScripted(silent, { clock })
    second.session.request('c', {}).catch(() => {})
    const seen = [...first.sent, ...second.sent].map((message) => 'id' in message && message.id)
    expect(seen).toEqual([1001, 1002, 1003])
  })

  test('has a higher id than any before a restart', async () => {
    await using before = await openScripted(silent, { clock: createTestClock(1) })
    before.session.request('a', {}).catch(() => {})
    await using after = await openScripted(silent, { clock: createTestClock(2) })
    after.session.request('a', {}).catch(() => {})
    expect(after.sent).toEqual([{ jsonrpc: '2.0', id: 2001, method: 'a', params: {} }])
  })
})

describe('a request of the peer', () => {
  test('is answered with the id as it came', async () => {
    await using peer = await openScripted({ onMessage: ({ params }) => ({ got: params }) })
    await peer.say({ id: '1', method: 'a', params: { x: 1 } })
    await peer.say({ id: 1, method: 'a' })
    await peer.say({ id: 0, method: 'a' })
    expect(peer.sent).toEqual([
      { jsonrpc: '2.0', id: '1', result: { got: { x: 1 } } },
      { jsonrpc: '2.0', id: 1, result: { got: undefined } },
      { jsonrpc: '2.0', id: 0, result: { got: undefined } },
    ])
  })

  test('is answered with an empty result when the handler returns nothing', async () => {
    await using peer = await openScripted({ onMessage: () => undefined })
    await peer.say({ id: 1, method: 'a' })
    expect(peer.sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })

  test('gets the error that the handler throws, at once or later', async () => {
    const error = new ProtocolError('INVALID_PARAMS', 'Unknown tool: x', { data: { name: 'x' } })
    const throwing: MessageHandler = {
      onMessage({ method }) {
        if (method === 'later') return Promise.reject(error)
        throw error
      },
    }
    await using peer = await openScripted(throwing)
    await peer.say({ id: 1, method: 'now' })
    await peer.say({ id: 2, method: 'later' })
    await settle()
    const expected = { code: -32602, message: 'Unknown tool: x', data: { name: 'x' } }
    expect(peer.sent).toEqual([
      { jsonrpc: '2.0', id: 1, error: expected },
      { jsonrpc: '2.0', id: 2, error: expected },
    ])
  })

  test('is told no more than "Internal error" of what was not meant for it', async () => {
    const errors: Error[] = []
    const secret = new Error('password=hunter2 at /home/me')
    await using peer = await openScripted(
      {
        onMessage() {
          throw secret
        },
      },
      { onError: (error) => errors.push(error) },
    )
    await peer.say({ id: 1, method: 'a' })
    expect(peer.sent).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
    ])
    expect(errors).toEqual([secret])
  })

  test('is answered although the result cannot be said as JSON', async () => {
    const [near, far] = createWirePair()
    const send = far.send.bind(far)
    far.send = async (message, options) => await send(JSON.parse(JSON.stringify(message)), options)
    const errors: string[] = []
    await using client = closing(await openSession(near, silent))
    await openSession(
      far,
      { onMessage: () => ({ size: 1n }) },
      { onError: ({ message }) => errors.push(message) },
    )
    await expect(client.session.request('a', {})).rejects.toMatchObject({
      number: -32603,
      message: 'Internal error',
    })
    expect(errors).toEqual(['Do not know how to serialize a BigInt'])
  })

  test('is refused while another with its id is in flight on the same wire', async () => {
    const { promise, resolve } = Promise.withResolvers<object>()
    await using peer = await openScripted({ onMessage: () => promise })
    await peer.say({ id: 5, method: 'slow' })
    await peer.say({ id: 5, method: 'slow' })
    await peer.say({ id: '5', method: 'slow' })
    resolve({ done: true })
    await settle()
    expect(peer.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 5,
        error: { code: -32600, message: 'Request id 5 is already in flight' },
      },
      { jsonrpc: '2.0', id: 5, result: { done: true } },
      { jsonrpc: '2.0', id: '5', result: { done: true } },
    ])
  })

  test('is answered on its own exchange where two with one id have one each', async () => {
    const answers = new Map([
      ['a', Promise.withResolvers<object>()],
      ['b', Promise.withResolvers<object>()],
    ])
    const session = new MessageSession(
      { send: () => {} },
      { onMessage: ({ method }) => answers.get(method)?.promise },
    )
    const exchanges = { a: [] as object[], b: [] as object[] }
    for (const method of ['a', 'b'] as const) {
      const outlet = { send: (message: object) => void exchanges[method].push(message) }
      session.receive({ jsonrpc: '2.0', id: 1, method }, { outlet })
    }
    expect(session.answering).toBe(2)
    answers.get('a')?.resolve({ is: 'a' })
    await settle()
    answers.get('b')?.resolve({ is: 'b' })
    await settle()
    expect(exchanges).toEqual({
      a: [{ jsonrpc: '2.0', id: 1, result: { is: 'a' } }],
      b: [{ jsonrpc: '2.0', id: 1, result: { is: 'b' } }],
    })
    expect(session.answering).toBe(0)
  })

  test('has what is said about it go out on its own exchange, the rest elsewhere', async () => {
    const outside: string[] = []
    const inside: string[] = []
    const methodOf = (message: Message) => ('method' in message ? message.method : 'answer')
    const session = new MessageSession(
      { send: (message) => outside.push(methodOf(message)) },
      {
        onMessage(_, context) {
          context.notify('notifications/message')
          context.session.notify('related', {}, { relatedTo: 1 })
          context.session.notify('unrelated')
          return {}
        },
      },
    )
    const outlet = { send: (message: Message) => inside.push(methodOf(message)) }
    session.receive({ jsonrpc: '2.0', id: 1, method: 'a' }, { outlet })
    expect(inside).toEqual(['notifications/message', 'related', 'answer'])
    expect(outside).toEqual(['unrelated'])
  })

  test('ping is answered by the session itself', async () => {
    await using talk = await openConversation({
      onMessage() {
        throw new Error('The handler was asked')
      },
    })
    expect(await talk.client.request('ping', {})).toEqual({})
    expect(await talk.server.request('ping', {})).toEqual({})
  })
})

describe('a notification', () => {
  test('is never answered, even if the handler fails', async () => {
    const errors: string[] = []
    const failing: MessageHandler = {
      async onMessage({ method }) {
        throw new Error(`${method} failed`)
      },
    }
    await using peer = await openScripted(failing, {
      onError: ({ message }) => errors.push(message),
    })
    await peer.say({ method: 'notifications/roots/list_changed' })
    await settle()
    expect(peer.sent).toEqual([])
    expect(errors).toEqual(['notifications/roots/list_changed failed'])
  })

  test('travels without params when it has none', async () => {
    await using peer = await openScripted()
    peer.session.notify('a')
    peer.session.notify('b', { x: 1 }, { relatedTo: 'r' })
    expect(peer.sent).toEqual([
      { jsonrpc: '2.0', method: 'a' },
      { jsonrpc: '2.0', method: 'b', params: { x: 1 } },
    ])
    expect(peer.extras).toEqual([undefined, { relatedRequestId: 'r' }])
  })
})

function closing(session: MessageSession['root']) {
  return { session, [Symbol.asyncDispose]: () => session.close() }
}
