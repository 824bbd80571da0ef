import { describe, expect, test } from 'vitest'
import { Cancellation, type MessageContext, type MessageHandler } from '../src/index.ts'
import { openConversation, openScripted, silent } from './support/conversation.ts'
import { createTestClock, settle } from './support/test-clock.ts'

/** Never answers; remembers the contexts it was given. */
function hanging(): MessageHandler & { contexts: MessageContext[] } {
  const contexts: MessageContext[] = []
  return {
    contexts,
    onMessage(_, context) {
      contexts.push(context)
      return new Promise(() => {})
    },
  }
}

describe('a request of ours that is cancelled', () => {
  test('rejects, tells the peer once, and ignores what comes late', async () => {
    const errors: string[] = []
    await using peer = await openScripted(silent, {
      clock: createTestClock(),
      onError: ({ message }) => errors.push(message),
    })
    const controller = new AbortController()
    const answer = peer.session.request('tools/call', {}, { signal: controller.signal })
    controller.abort(new Error('the user pressed Escape'))
    controller.abort()
    await expect(answer).rejects.toMatchObject({
      code: 'REQUEST_CANCELLED',
      message: 'tools/call was cancelled: the user pressed Escape',
    })
    await peer.say({ id: 1001, result: {} })
    expect(peer.sent).toEqual([
      { jsonrpc: '2.0', id: 1001, method: 'tools/call', params: {} },
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1001, reason: 'the user pressed Escape' },
      },
    ])
    expect(errors).toEqual(['Dropped an answer that nobody waits for (id 1001)'])
  })

  test('voids what the peer asked on its behalf, and nothing else', async () => {
    const contexts: MessageContext[] = []
    await using peer = await openScripted(
      {
        onMessage(_, context) {
          contexts.push(context)
          return new Promise((resolve) => {
            context.signal.addEventListener('abort', () => resolve({ action: 'cancel' }))
          })
        },
      },
      { clock: createTestClock() },
    )
    const controller = new AbortController()
    const answer = peer.session.request('tools/call', {}, { signal: controller.signal })
    await peer.say({ id: 'q1', method: 'elicitation/create' }, { relatedRequestId: 1001 })
    await peer.say({ id: 'q2', method: 'elicitation/create' })
    controller.abort(new Error('bored'))
    await expect(answer).rejects.toThrow('bored')
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, false])
    await settle()
    // The peer, if it has not heard yet, is not left waiting.
    expect(peer.sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 'q1', result: { action: 'cancel' } })
  })

  test('is not sent when it was cancelled before', async () => {
    await using peer = await openScripted()
    const cancellation = new Cancellation()
    cancellation.cancel('too late')
    const early = peer.session.request('a', {}, { cancellation })
    const aborted = peer.session.request('a', {}, { signal: AbortSignal.abort('gone') })
    await expect(early).rejects.toThrow('a was cancelled: too late')
    await expect(aborted).rejects.toThrow('a was cancelled: gone')
    expect(peer.sent).toEqual([])
  })

  test('says nothing when it was initialize', async () => {
    await using peer = await openScripted()
    const controller = new AbortController()
    const answer = peer.session.request('initialize', {}, { signal: controller.signal })
    controller.abort(new Error('no patience'))
    await expect(answer).rejects.toThrow('initialize was cancelled: no patience')
    expect(peer.sent.map((message) => 'method' in message && message.method)).toEqual([
      'initialize',
    ])
  })

  test('leaves no listener on the signal once it is answered', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const controller = new AbortController()
    const answer = peer.session.request('a', {}, { signal: controller.signal })
    await peer.say({ id: 1001, result: {} })
    await answer
    controller.abort()
    expect(peer.sent).toHaveLength(1)
  })
})

describe('a request of the peer that is cancelled', () => {
  test('aborts the signal with the reason, and is never answered', async () => {
    const { promise, resolve } = Promise.withResolvers<object>()
    const reasons: unknown[] = []
    await using peer = await openScripted({
      onMessage(_, { signal }) {
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        return promise
      },
    })
    await peer.say({ id: 'x', method: 'slow' })
    await peer.say({
      method: 'notifications/cancelled',
      params: { requestId: 'x', reason: 'bored' },
    })
    resolve({ done: true })
    await settle()
    expect(peer.sent).toEqual([])
    expect(reasons).toEqual([new DOMException('bored', 'AbortError')])
  })

  test('is found by id and type', async () => {
    const handler = hanging()
    await using peer = await openScripted(handler)
    await peer.say({ id: 1, method: 'a' })
    await peer.say({ id: '1', method: 'b' })
    await peer.say({ method: 'notifications/cancelled', params: { requestId: '1' } })
    expect(handler.contexts.map(({ signal }) => signal.aborted)).toEqual([false, true])
  })

  test('with id 0 is cancelled like any other', async () => {
    const handler = hanging()
    await using peer = await openScripted(handler)
    await peer.say({ id: 0, method: 'a' })
    await peer.say({ method: 'notifications/cancelled', params: { requestId: 0 } })
    expect(handler.contexts[0]?.signal.aborted).toBe(true)
  })

  test('shows it to whoever reads the signal later', async () => {
    const handler = hanging()
    await using peer = await openScripted(handler)
    await peer.say({ id: 1, method: 'a' })
    await peer.say({ method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(handler.contexts[0]?.cancellation.reason).toBe('cancelled by the sender')
    expect(() => handler.contexts[0]?.signal.throwIfAborted()).toThrow('cancelled by the sender')
  })

  test('says nothing more: no progress, no log line, no question', async () => {
    const handler = hanging()
    await using peer = await openScripted(handler)
    await peer.say({ id: 1, method: 'a', params: { _meta: { progressToken: 't' } } })
    await peer.say({ method: 'notifications/cancelled', params: { requestId: 1 } })
    const [context] = handler.contexts
    context?.progress({ progress: 1 })
    context?.notify('notifications/message', { level: 'info', data: 'x' })
    await expect(context?.ask('elicitation/create', {})).rejects.toThrow(
      'elicitation/create was not asked: the call has ended',
    )
    expect(peer.sent).toEqual([])
  })

  test('is answered all the same when it is initialize', async () => {
    const { promise, resolve } = Promise.withResolvers<object>()
    await using peer = await openScripted({ onMessage: () => promise })
    await peer.say({ id: 1, method: 'initialize', params: {} })
    await peer.say({ method: 'notifications/cancelled', params: { requestId: 1 } })
    resolve({ protocolVersion: '2025-11-25' })
    await settle()
    expect(peer.sent).toHaveLength(1)
  })

  test('cancels what it asked the peer meanwhile', async () => {
    await using peer = await openScripted(
      { onMessage: (_, context) => context.ask('elicitation/create', { message: 'Sure?' }) },
      { clock: createTestClock() },
    )
    const capabilities = { elicitation: {} }
    await peer.say({ id: 'i', method: 'initialize', params: { capabilities } })
    peer.sent.length = 0
    peer.extras.length = 0
    await peer.say({ id: 'call', method: 'tools/call' })
    await peer.say({
      method: 'notifications/cancelled',
      params: { requestId: 'call', reason: 'bored' },
    })
    await settle()
    expect(peer.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: expect.any(Number),
        method: 'elicitation/create',
        params: { message: 'Sure?' },
      },
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: expect.any(Number), reason: 'bored' },
      },
    ])
    expect(peer.extras).toEqual([{ relatedRequestId: 'call' }, { relatedRequestId: 'call' }])
  })

  test('takes back a question that is still open when its call is answered', async () => {
    await using peer = await openScripted({
      onMessage({ method }, context) {
        if (method === 'initialize') return {}
        context.ask('elicitation/create', {}).catch(() => {})
        return { answered: 'without it' }
      },
    })
    await peer.say({ id: 'i', method: 'initialize', params: { capabilities: { elicitation: {} } } })
    peer.sent.length = 0
    await peer.say({ id: 'call', method: 'tools/call' })
    expect(peer.sent.map((message) => ('method' in message ? message.method : message))).toEqual([
      'elicitation/create',
      'notifications/cancelled',
      { jsonrpc: '2.0', id: 'call', result: { answered: 'without it' } },
    ])
  })
})

test('a cancellation reaches the end of a chain of calls, from session to session', async () => {
  const last = hanging()
  await using lower = await openConversation(last)
  await using upper = await openConversation({
    onMessage: ({ method }, { cancellation }) => lower.client.request(method, {}, { cancellation }),
  })
  const controller = new AbortController()
  const answer = upper.client.request('tools/call', {}, { signal: controller.signal })
  controller.abort(new Error('bored'))
  await expect(answer).rejects.toThrow('tools/call was cancelled: bored')
  expect(last.contexts[0]?.cancellation.reason).toBe('bored')
  await settle()
  expect(lower.fromServer).toEqual([])
  expect(upper.fromServer).toEqual([])
})
