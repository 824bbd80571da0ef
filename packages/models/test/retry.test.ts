import { expect, test } from 'vitest'
import { createModels, type ModelEvent } from '../src/index.ts'
import { ask, failed, userSays } from './support/ask.ts'
import { createTestClock } from './support/clock.ts'
import { describeDialects } from './support/dialects.ts'

const retry = { attempts: 3, delay: 500, longestDelay: 60_000 }

describeDialects(({ fixture, serve }) => {
  test('too many requests: it waits as long as it was asked to, and asks again', async () => {
    const clock = createTestClock()
    await using asked = await serve([fixture.rateLimited, fixture.text], {
      clock,
      retry,
      idleTimeout: 0,
    })
    const answer = ask(asked.model, userSays('Hi'))
    await clock.waits(2000)
    expect(asked.server.received.length).toBe(1)
    clock.advance(1999)
    expect(clock.waiting).toEqual([2000])
    clock.advance(1)
    const { events, text } = await answer
    expect(text).toBe('Hello, world!')
    expect(events[0]).toMatchObject({
      type: 'retry',
      attempt: 1,
      delay: 2000,
      error: { code: 'RATE_LIMITED', details: { status: 429, retryAfter: 2000, retryable: true } },
    })
  })

  test('pauses grow, and the last failure is told', async () => {
    const clock = createTestClock()
    const unavailable = { status: 503, body: JSON.stringify({ error: { message: 'Down' } }) }
    await using asked = await serve([unavailable], {
      clock,
      retry,
      idleTimeout: 0,
      random: () => 1,
    })
    const answer = ask(asked.model, userSays('Hi'))
    for (const delay of [500, 1000]) {
      await clock.waits(delay)
      clock.advance(delay)
    }
    const { error } = failed(await answer)
    expect(error.code).toBe('UNAVAILABLE')
    expect(asked.server.received.length).toBe(3)
  })

  test.each([
    ['that broke off', ''],
    ['that failed because of too much load', withoutText(fixture.errorMidStream.body)],
  ])('a stream %s before it said anything is asked for again', async (_, body) => {
    const clock = createTestClock()
    await using asked = await serve([{ body }, fixture.text], {
      clock,
      retry,
      idleTimeout: 0,
      random: () => 1,
    })
    const answer = ask(asked.model, userSays('Hi'))
    await clock.waits(500)
    clock.advance(500)
    expect((await answer).text).toBe('Hello, world!')
  })

  test('what cannot help is not tried again', async () => {
    const { exhausted } = fixture
    for (const refusal of [fixture.unauthorized('x'), ...(exhausted ? [exhausted] : [])]) {
      await using asked = await serve([refusal, fixture.text], { retry })
      const { error } = failed(await ask(asked.model, userSays('Hi')))
      expect(error.details.retryable).toBe(false)
      expect(asked.server.received.length).toBe(1)
    }
  })

  test('a wait that is too long is told at once', async () => {
    const late = {
      ...fixture.rateLimited,
      headers: { 'retry-after': 'Mon, 30 Nov 2026 01:00:00 GMT' },
    }
    const clock = createTestClock()
    await using asked = await serve([late], { clock, retry, idleTimeout: 0 })
    const { error } = failed(await ask(asked.model, userSays('Hi')))
    expect(error.details.retryAfter).toBe(3_600_000)
    expect(asked.server.received.length).toBe(1)
  })

  test('cancelling ends the answer, keeps what came, and closes the connection', async () => {
    await using asked = await serve([{ ...fixture.truncated, end: 'never' }])
    const stop = new AbortController()
    const events: ModelEvent[] = []
    for await (const event of asked.model.stream(userSays('Hi'), { signal: stop.signal })) {
      events.push(event)
      if (event.type === 'text-delta') stop.abort()
    }
    await asked.server.gone
    const last = events.at(-1)
    expect(last).toMatchObject({
      type: 'error',
      error: { code: 'CANCELLED' },
      message: { content: [{ type: 'text', text: 'Hel' }] },
    })
  })

  test('cancelling while it waits ends the wait', async () => {
    const clock = createTestClock()
    await using asked = await serve([fixture.rateLimited], { clock, retry, idleTimeout: 0 })
    const stop = new AbortController()
    const answer = ask(asked.model, userSays('Hi'), stop.signal)
    await clock.waits(2000)
    stop.abort()
    expect(failed(await answer).error.code).toBe('CANCELLED')
    expect(clock.waiting).toEqual([])
  })

  test('an answer that was cancelled before is not asked for', async () => {
    await using asked = await serve([fixture.text])
    expect(failed(await ask(asked.model, userSays('Hi'), AbortSignal.abort())).error.code).toBe(
      'CANCELLED',
    )
    expect(asked.server.received.length).toBe(0)
  })

  test('whoever stops reading stops the request', async () => {
    await using asked = await serve([{ ...fixture.truncated, end: 'never' }])
    for await (const event of asked.model.stream(userSays('Hi')))
      if (event.type === 'text-delta') break
    await asked.server.gone
  })

  test('a provider that says nothing more is given up', async () => {
    const clock = createTestClock()
    await using asked = await serve([{ ...fixture.truncated, end: 'never' }], {
      clock,
      idleTimeout: 30_000,
    })
    const events: ModelEvent[] = []
    for await (const event of asked.model.stream(userSays('Hi'))) {
      events.push(event)
      // The next thing is waited for only after this one has been taken.
      if (event.type === 'text-delta')
        void Promise.resolve()
          .then(() => clock.waits(30_000))
          .then(() => clock.advance(30_000))
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'TIMED_OUT' } })
    expect(clock.waiting).toEqual([])
  })
})

test('a server that is not there is said to be unavailable', async () => {
  const models = createModels({
    providers: { gone: { dialect: 'openai-chat', baseUrl: 'http://user:hunter2@127.0.0.1:9/v1' } },
    fetch: () =>
      Promise.reject(
        Object.assign(new TypeError('fetch failed'), { cause: new Error('ECONNREFUSED') }),
      ),
    retry: { attempts: 1 },
  })
  const { error } = failed(await ask(models.model('gone/any'), userSays('Hi')))
  expect(error.code).toBe('UNAVAILABLE')
  expect(error.message).not.toContain('hunter2')
})

/** A stream of which nothing is to be shown but how it ends. */
function withoutText(body: string | readonly string[]): string {
  const events = String(body).split(/(?<=\n\n)/)
  return events.filter((event) => !event.includes('"Hel"')).join('')
}
