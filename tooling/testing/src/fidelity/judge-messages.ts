import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Recorded } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'
import { carriedBy, expectSame } from './compare.ts'
import type { Exchange } from './exchange.ts'
import { type BothEnds, expectSameEnds, type Stage } from './stage.ts'

const progress = 'notifications/progress'
const log = 'notifications/message'

/** What passes while a call runs: progress, log messages, its end by the client. */
export function judgeMessages(stage: () => Stage): void {
  test('ten steps of progress arrive in order, under the number the client gave', async () => {
    const params = { name: 'progress', arguments: { steps: 10 } }
    // Both SDKs forget the listener when an answer follows at once, so it is the messages that count.
    const onprogress = (): void => undefined
    const ends = await stage().exchange('tools/call', params, { onprogress })
    expectProgress(ends, tokenOf(ends.near))
    expect(tokenOf(ends.near)).toBeTypeOf('number')
    expectSameEnds(ends, stage().subject)
  })

  test('progress arrives under the text that a client gave as its token', async () => {
    const progressToken = '007 😀'
    const params = { name: 'progress', arguments: { steps: 10 }, _meta: { progressToken } }
    const ends = await stage().exchange('tools/call', params)
    expectProgress(ends, progressToken)
  })

  test('a client that gave no token gets no progress', async () => {
    const ends = await stage().exchange('tools/call', { name: 'progress', arguments: {} })
    expect(tokensOf(ends.near)).toEqual([])
    expectSameEnds(ends, stage().subject)
  })

  test('a call that its client aborts is aborted at the server and never answered', async () => {
    const nonce = randomUUID()
    const leaving = new AbortController()
    const params = { name: 'wait', arguments: {} }
    const ended = stage().exchange('tools/call', params, { nonce, signal: leaving.signal })
    await stage().state({ opened: [`started ${nonce}`] })
    leaving.abort('had enough 😀')
    await ended
    await stage().state({ opened: [`aborted ${nonce}`] })
    const { near, far } = stage().find(nonce)
    for (const [end, direction] of [
      [near, 'out'],
      [far, 'in'],
    ] as const) {
      const cancelled = carriedBy(end?.conversation ?? [], direction, 'notifications/cancelled')
      expect(cancelled).toContainEqual({
        requestId: end?.request.id,
        reason: 'had enough 😀',
      })
    }
    expect(near?.answer).toBeUndefined()
  })

  test('log messages of a call arrive before its answer, as the server sent them', async () => {
    const { client, exchange } = stage()
    await client.request('logging/setLevel', { level: 'debug' })
    const levels = ['debug', 'warning', 'emergency']
    const ends = await exchange('tools/call', { name: 'log', arguments: { count: 3, levels } })
    const seen = carriedBy(ends.near.during, 'in', log)
    expect(seen.map((params) => asObject(params).level)).toEqual(levels)
    expectSame(seen, carriedBy(ends.far?.during ?? [], 'out', log))
  })

  test('log messages below the level that the client set do not arrive', async () => {
    const { client, exchange } = stage()
    await client.request('logging/setLevel', { level: 'warning' })
    const levels = ['debug', 'warning', 'emergency']
    const ends = await exchange('tools/call', { name: 'log', arguments: { count: 3, levels } })
    const seen = carriedBy(ends.near.during, 'in', log)
    expect(seen.map((params) => asObject(params).level)).toEqual(levels.slice(1))
  })
}

function expectProgress({ near, far }: BothEnds, token: unknown): void {
  expect(tokensOf(near)).toEqual(Array(10).fill(token))
  expectSame(carriedBy(near.during, 'in', progress), carriedBy(far?.during ?? [], 'out', progress))
}

function tokenOf({ request }: Exchange): unknown {
  return asObject(asObject(request.params)._meta).progressToken
}

function tokensOf({ during }: Exchange): unknown[] {
  const isProgress = ({ message }: Recorded): boolean => message.method === progress
  return during.filter(isProgress).map(({ message }) => asObject(message.params).progressToken)
}
