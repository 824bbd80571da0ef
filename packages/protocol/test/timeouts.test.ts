import { describe, expect, test } from 'vitest'
import {
  deadlinesOf,
  type MessageContext,
  type MessageHandler,
  openInProcess,
  type PendingRequest,
  type Timeouts,
} from '../src/index.ts'
import { openScripted, silent } from './support/conversation.ts'
import { createTestClock, settle, type TestClock } from './support/test-clock.ts'

const timeouts: Timeouts = { request: 1000, idle: 500, total: 3000 }

/** A request that nobody answers, and when and how it ended. */
async function open(options: { timeouts?: Partial<Timeouts>; label?: string } = {}) {
  const clock = createTestClock(0)
  const peer = await openScripted(silent, { clock, timeouts })
  const outcome = { at: 0, message: '' }
  let pending: PendingRequest | undefined
  peer.session
    .request('tools/call', {}, { ...options, onPending: (each) => (pending = each) })
    .catch((error: Error) => {
      outcome.at = clock.now()
      outcome.message = error.message
    })
  if (!pending) throw new Error('Nobody was told of the request')
  return { clock, outcome, pending, peer, [Symbol.asyncDispose]: () => peer.session.close() }
}

describe('a request without an answer', () => {
  test('ends at the request limit when there is no sign of life, and tells the peer', async () => {
    await using waiting = await open()
    await waiting.clock.advance(999)
    expect(waiting.outcome.message).toBe('')
    await waiting.clock.advance(60)
    expect(waiting.outcome).toMatchInlineSnapshot(`
      {
        "at": 1000,
        "message": "tools/call timed out: no answer within 1 s",
      }
    `)
    expect(waiting.peer.sent[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'no answer within 1 s' },
    })
  })

  test('ends at the idle limit after a sign of life', async () => {
    await using waiting = await open()
    await waiting.clock.advance(900)
    waiting.pending.touch()
    await waiting.clock.advance(490)
    expect(waiting.outcome.message).toBe('')
    await waiting.clock.advance(60)
    expect(waiting.outcome).toMatchInlineSnapshot(`
      {
        "at": 1400,
        "message": "tools/call timed out: no sign of life for 0.5 s",
      }
    `)
  })

  test('lives on while progress comes, up to the total limit', async () => {
    await using waiting = await open()
    for (let i = 0; i < 8; i++) {
      await waiting.clock.advance(400)
      await waiting.peer.say({
        method: 'notifications/progress',
        params: { progressToken: 1, progress: i },
      })
    }
    expect(waiting.outcome).toMatchInlineSnapshot(`
      {
        "at": 3000,
        "message": "tools/call timed out: no answer, in all, within 3 s",
      }
    `)
  })

  test('has limits of its own where they are given, and the name that is given', async () => {
    await using waiting = await open({ timeouts: { request: 100 }, label: 'github/search' })
    await waiting.clock.advance(200)
    expect(waiting.outcome).toEqual({
      at: 100,
      message: 'github/search timed out: no answer within 0.1 s',
    })
  })

  test('waits forever where the limits are infinite', async () => {
    const none = Number.POSITIVE_INFINITY
    await using waiting = await open({ timeouts: { request: none, idle: none, total: none } })
    waiting.pending.touch()
    await waiting.clock.advance(1e6)
    expect(waiting.outcome.message).toBe('')
  })

  test('rejects with REQUEST_TIMEOUT and its number', async () => {
    const clock = createTestClock()
    await using peer = await openScripted(silent, { clock, timeouts })
    const answer = peer.session.request('a', {})
    const expected = expect(answer).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      number: -32001,
    })
    await clock.advance(2000)
    await expected
  })
})

describe('while a question is open', () => {
  test('all timers stand still, and go on where they were', async () => {
    await using waiting = await open()
    await waiting.clock.advance(900)
    const release = waiting.pending.hold()
    await waiting.clock.advance(100_000)
    release()
    await waiting.clock.advance(90)
    expect(waiting.outcome.message).toBe('')
    await waiting.clock.advance(60)
    expect(waiting.outcome.message).toBe('tools/call timed out: no answer within 1 s')
    expect(waiting.outcome.at).toBeLessThan(101_060)
  })

  test('the total limit stands still too', async () => {
    await using waiting = await open()
    const keepAlive = async () => {
      for (let i = 0; i < 4; i++) {
        await waiting.clock.advance(400)
        waiting.pending.touch()
      }
    }
    await keepAlive()
    const release = waiting.pending.hold()
    await waiting.clock.advance(100_000)
    release()
    await waiting.clock.advance(400)
    waiting.pending.touch()
    await waiting.clock.advance(400)
    waiting.pending.touch()
    expect(waiting.outcome.message).toBe('')
    await keepAlive()
    expect(waiting.outcome.message).toBe('tools/call timed out: no answer, in all, within 3 s')
  })

  test('nested questions count as one, and releasing twice does nothing', async () => {
    await using waiting = await open()
    const first = waiting.pending.hold()
    await waiting.clock.advance(5000)
    const second = waiting.pending.hold()
    first()
    first()
    await waiting.clock.advance(5000)
    expect(waiting.outcome.message).toBe('')
    second()
    await waiting.clock.advance(1060)
    expect(waiting.outcome.at).toBe(11_000)
  })

  test('a sign of life gives the whole idle time after the answer, not more', async () => {
    await using waiting = await open()
    const release = waiting.pending.hold()
    await waiting.clock.advance(50_000)
    waiting.pending.touch()
    await waiting.clock.advance(50_000)
    release()
    await waiting.clock.advance(490)
    expect(waiting.outcome.message).toBe('')
    await waiting.clock.advance(60)
    expect(waiting.outcome.message).toBe('tools/call timed out: no sign of life for 0.5 s')
  })

  test('a call in process waits for its person', async () => {
    const clock = createTestClock(0)
    const { promise, resolve } = Promise.withResolvers<object>()
    const asking: MessageHandler = {
      onMessage: (_, context: MessageContext) => context.ask('elicitation/create', {}),
    }
    const session = openInProcess(asking, { clock, timeouts, client: { onMessage: () => promise } })
    const answer = session.request('tools/call', {})
    await clock.advance(100_000)
    resolve({ action: 'accept' })
    expect(await answer).toEqual({ action: 'accept' })
    expect(deadlinesOf(clock).entries()).toEqual([])
  })
})

test('what is asked of a client has no limit of its own', async () => {
  const clock = createTestClock(0)
  const failures: string[] = []
  await using peer = await openScripted(
    {
      async onMessage({ method }, context) {
        if (method === 'initialize') return {}
        return await context.ask('roots/list', {}).catch((error: Error) => {
          failures.push(error.message)
          return {}
        })
      },
    },
    { clock, timeouts },
  )
  await peer.say({ id: 1, method: 'initialize', params: { capabilities: { roots: {} } } })
  await peer.say({ id: 2, method: 'tools/call' })
  await peer.say({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })
  await clock.advance(1e6)
  expect(failures).toEqual([])
})

describe('timers', () => {
  test('are one for all requests, none when all are answered', async () => {
    const clock: TestClock = createTestClock()
    await using peer = await openScripted(silent, { clock })
    const answers = Array.from({ length: 100 }, () => peer.session.request('a', {}))
    expect(clock.timers).toBe(1)
    for (let id = 1001; id <= 1100; id++) await peer.say({ id, result: {} })
    await Promise.all(answers)
    expect(deadlinesOf(clock).entries()).toEqual([])
    await clock.advance(50)
    expect(clock.timers).toBe(0)
  })

  test('are none for a call in process that is answered at once', async () => {
    const clock = createTestClock()
    const session = openInProcess(silent, { clock })
    await session.request('a', {})
    await settle()
    expect(clock.timers).toBe(0)
  })
})
