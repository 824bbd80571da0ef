import { describe, expect, test } from 'vitest'
import type { MessageHandler, Progress } from '../src/index.ts'
import { openConversation, openScripted, silent } from './support/conversation.ts'
import { createTestClock, settle } from './support/test-clock.ts'

const reporting: MessageHandler = {
  async onMessage(_, context) {
    context.progress({ progress: 1, total: 2, message: 'half', ours: true })
    await settle()
    context.progress({ progress: 2, total: 2 })
    return {}
  },
}

describe('progress for the peer', () => {
  test('carries the token exactly as it came: a string, a number, zero or nothing in between', async () => {
    for (const progressToken of ['7', 7, 0, '']) {
      await using peer = await openScripted(reporting)
      await peer.say({ id: 1, method: 'a', params: { _meta: { progressToken } } })
      expect(peer.sent).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progress: 1, total: 2, message: 'half', ours: true, progressToken },
        },
      ])
    }
  })

  test('goes out with the request that it belongs to', async () => {
    await using peer = await openScripted(reporting)
    await peer.say({ id: 'r', method: 'a', params: { _meta: { progressToken: 1 } } })
    expect(peer.extras).toEqual([{ relatedRequestId: 'r' }])
  })

  test('is not sent where no token came', async () => {
    await using peer = await openScripted(reporting)
    await peer.say({ id: 1, method: 'a', params: { _meta: { other: 1 } } })
    await peer.say({ id: 2, method: 'a' })
    await settle()
    await settle()
    expect(peer.sent).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ])
  })

  test('never comes after the result', async () => {
    let late: (() => void) | undefined
    await using peer = await openScripted({
      onMessage(_, context) {
        late = () => context.progress({ progress: 3 })
        return {}
      },
    })
    await peer.say({ id: 1, method: 'a', params: { _meta: { progressToken: 1 } } })
    late?.()
    expect(peer.sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })
})

describe('progress from the peer', () => {
  test('reaches whoever asked for it, without the token', async () => {
    await using talk = await openConversation(reporting)
    const seen: Progress[] = []
    await talk.client.request('a', {}, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([
      { progress: 1, total: 2, message: 'half', ours: true },
      { progress: 2, total: 2 },
    ])
  })

  test('is asked for only where somebody listens, and the token of an outer call stays behind', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const outer = { _meta: { progressToken: 'outer', trace: 't' }, x: 1 }
    peer.session.request('a', outer).catch(() => {})
    peer.session.request('a', outer, { onProgress: () => {} }).catch(() => {})
    peer.session.request('a', { x: 1 }).catch(() => {})
    expect(peer.sent.map((message) => 'params' in message && message.params)).toEqual([
      { _meta: { trace: 't' }, x: 1 },
      { _meta: { progressToken: 1002, trace: 't' }, x: 1 },
      { x: 1 },
    ])
    expect(outer._meta.progressToken).toBe('outer')
  })

  test('that comes late, with an unknown token or without a number is dropped', async () => {
    const handled: string[] = []
    await using peer = await openScripted(
      {
        onMessage({ method }) {
          handled.push(method)
        },
      },
      { clock: createTestClock() },
    )
    const seen: Progress[] = []
    const say = (params: object) => peer.say({ method: 'notifications/progress', params })
    const answer = peer.session.request('a', {}, { onProgress: (each) => seen.push(each) })
    await say({ progressToken: '1001', progress: 1 })
    await say({ progressToken: 1001, progress: 'half' })
    await say({ progressToken: 1001, progress: 1 })
    await peer.say({ id: 1001, result: {} })
    await say({ progressToken: 1001, progress: 2 })
    await answer
    expect(seen).toEqual([{ progress: 1 }])
    expect(handled).toEqual([])
  })

  test('does not break the session when its listener throws', async () => {
    const errors: string[] = []
    await using talk = await openConversation(reporting, {
      clientOptions: { onError: ({ message }) => errors.push(message) },
    })
    const onProgress = () => {
      throw new Error('The bar is broken')
    }
    expect(await talk.client.request('a', {}, { onProgress })).toEqual({})
    expect(errors).toEqual(['The bar is broken', 'The bar is broken'])
  })
})
