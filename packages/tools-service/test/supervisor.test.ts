import { createTestClock } from '@mobius-mcp/testing/test-clock.ts'
import { describe, expect, test } from 'vitest'
import { Supervisor } from '../src/supervisor.ts'
import { createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

function supervise() {
  const clock = createTestClock(1)
  const conditions: string[] = []
  const supervisor: Supervisor = new Supervisor(clock, () => conditions.push(supervisor.condition))
  const fail = (reason = 'exited') => supervisor.onStartFailed(reason, supervisor.onStart())
  const start = () => {
    const era = supervisor.onStart()
    supervisor.onReady()
    return era
  }
  return { clock, supervisor, conditions, fail, start }
}

describe('failures in a row', () => {
  test('wait twice as long each, from 250 ms to 30 s, half of it by chance', () => {
    const { supervisor, fail } = supervise()
    const limits = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]
    for (const limit of limits) {
      fail()
      expect(supervisor.delay()).toBeGreaterThanOrEqual(limit / 2)
      expect(supervisor.delay()).toBeLessThanOrEqual(limit)
    }
  })

  test('are a crash loop from the fifth on, with the reason', () => {
    const { supervisor, conditions, fail } = supervise()
    for (let count = 0; count < 4; count++) fail('exited with code 1')
    expect([supervisor.condition, supervisor.reason]).toEqual(['waiting', 'exited with code 1'])
    fail('exited with code 1')
    expect([supervisor.condition, supervisor.reason]).toEqual([
      'failed',
      'exited with code 1 (failed 5 times in a row)',
    ])
    expect(conditions.slice(-3)).toEqual(['waiting', 'starting', 'failed'])
  })

  test('include connections that ended before they were of any use', () => {
    const { supervisor, start } = supervise()
    for (let count = 0; count < 5; count++) supervisor.onEnd('exited', false, start())
    expect(supervisor.condition).toBe('failed')
  })

  test('are over when it has answered', () => {
    const { supervisor, fail, start } = supervise()
    for (let count = 0; count < 5; count++) fail()
    start()
    supervisor.onUseful()
    fail()
    expect(supervisor.delay()).toBeLessThanOrEqual(250)
  })

  test('are one where several attempts were made side by side', () => {
    const { supervisor } = supervise()
    const eras = Array.from({ length: 10 }, () => supervisor.onStart())
    for (const era of eras) supervisor.onStartFailed('exited', era)
    expect([supervisor.condition, supervisor.reason]).toEqual(['waiting', 'exited'])
    expect(supervisor.delay()).toBeLessThanOrEqual(250)
  })
})

describe('a crash', () => {
  test('of what was of use is followed by a start at once', () => {
    const { supervisor, start } = supervise()
    const era = start()
    supervisor.onUseful()
    supervisor.onEnd('killed', true, era)
    expect([supervisor.condition, supervisor.reason, supervisor.delay()]).toEqual([
      'waiting',
      'killed',
      0,
    ])
    start()
    expect([supervisor.condition, supervisor.reason, supervisor.restarts]).toEqual([
      'ready',
      undefined,
      1,
    ])
  })

  test('is not what an end on purpose is', () => {
    const { supervisor, start } = supervise()
    supervisor.onEnd(undefined, false, start())
    expect([supervisor.condition, supervisor.reason]).toEqual(['idle', undefined])
    start()
    expect(supervisor.restarts).toBe(0)
  })
})

test('an attempt that was given up from our side is no failure', () => {
  const { supervisor } = supervise()
  supervisor.onStartFailed(undefined, supervisor.onStart())
  expect([supervisor.condition, supervisor.delay()]).toEqual(['idle', 0])
})

test('the condition says since when', async () => {
  const { clock, supervisor, fail } = supervise()
  await clock.advance(100)
  fail()
  expect(supervisor.since).toBe(101)
  await clock.advance(100)
  fail()
  expect(supervisor.since).toBe(201)
})

describe('a server that crashes again and again', () => {
  test('is waited for while the pause is short, then refused with the reason and the time left', async () => {
    const server = serveUpstream(answerTools({ fine: () => text('fine') }))
    server.failure = new Error('exited with code 1')
    await using gateway = createGateway({ upstreams: { one: server } })
    const call = () =>
      gateway.during(1000, errorOf(gateway.service.call({ server: 'one', tool: 'fine' }, {})))
    for (let count = 0; count < 5; count++) {
      expect(await call()).toBe('-32005 Server "one" is not available: exited with code 1')
      await gateway.clock.advance(4000)
    }
    expect(gateway.service.states()).toMatchObject([
      { state: 'failed', reason: 'exited with code 1 (failed 5 times in a row)' },
    ])
    await call()
    const attempts = server.attempts
    expect((await call()).replace(/\d s at/, 'N s at')).toMatchInlineSnapshot(
      `"-32005 Server "one" is not available: exited with code 1 (failed 6 times in a row). It is tried again in N s at the earliest."`,
    )
    expect(server.attempts).toBe(attempts)
    server.failure = undefined
    await gateway.clock.advance(8000)
    expect(await call()).toBe('no error')
    expect(gateway.service.states()).toMatchObject([{ state: 'ready', restarts: 1 }])
  })

  test('costs one attempt at a time, however many clients have it on their list', async () => {
    const server = serveUpstream(answerTools({ fine: () => text('fine') }))
    server.failure = new Error('exited with code 1')
    await using gateway = createGateway({ upstreams: { one: server } })
    const clients = await Promise.all(Array.from({ length: 20 }, () => gateway.client()))
    await Promise.all(clients.map((client) => client.names()))
    expect(server.attempts).toBe(1)
    await gateway.clock.advance(120_000)
    // At best 1 s, 2 s, 4 s … 30 s apart.
    expect(server.attempts).toBeLessThan(15)
    server.failure = undefined
    await gateway.clock.advance(60_000)
    await settle()
    expect(await clients[7]?.names()).toEqual(['one__fine'])
  })
})
