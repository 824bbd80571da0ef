import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { collect } from './event-stream.ts'
import { type OpenRawSession, toCall, toMessage } from './raw-session.ts'
import type { StreamSubject } from './target.ts'

/** When an answer is a body and when a stream, and whose answer it is. */
export function judgeAnswers(subject: StreamSubject, open: OpenRawSession): void {
  const { publicName } = subject

  test.runIf(subject.answersJson)('an answer with nothing before it is one JSON body', async () => {
    await using session = await open()
    const answer = await session.post(toCall('only', publicName('echo'), {}))
    expect(answer).toMatchObject({ status: 200, type: 'application/json' })
    expect(await answer.messages()).toMatchObject([{ id: 'only', result: {} }])
  })

  test('a message before the answer makes a stream of typed events, the answer last', async () => {
    await using session = await open()
    const call = toCall('a-1', publicName('progress'), { steps: 3 }, { progressToken: 'p-1' })
    const answer = await session.post(call)
    expect(answer).toMatchObject({ status: 200, type: 'text/event-stream' })
    const items = await collect(answer.items())
    const carriers = items.filter((item) => toMessage(item) !== undefined)
    expect(carriers).toMatchObject(Array(4).fill({ type: 'message', isTyped: true }))
    expect(carriers.map(toMessage)).toMatchObject([
      { params: { progressToken: 'p-1', progress: 1 } },
      { params: { progressToken: 'p-1', progress: 2 } },
      { params: { progressToken: 'p-1', progress: 3 } },
      { id: 'a-1', result: {} },
    ])
  })

  test('an answer has the id of its request, whatever that is', async () => {
    await using session = await open()
    for (const id of ['text', '7', 7, 0, 9_007_199_254_740_991]) {
      const answer = await session.post(toCall(id, publicName('echo'), { id }))
      expect((await answer.messages()).at(-1)?.id).toBe(id)
    }
  })

  test.runIf(subject.keepsEqualIdsApart)(
    'two requests under one id each get their own answer',
    async () => {
      await using session = await open()
      const gate = randomUUID()
      const held = { steps: 1, after: 1, gate }
      const first = await session.post(
        toCall(5, publicName('progress'), held, { progressToken: 1 }),
      )
      const second = await session.post(toCall(5, publicName('echo'), { of: 'the second' }))
      const [refusedOrEchoed] = await second.messages()
      await session.call(publicName('state'), { open: [gate] })
      expect((await first.messages()).at(-1)).toMatchObject({
        id: 5,
        result: { content: [{ text: 'done' }] },
      })
      if (refusedOrEchoed?.error === undefined) {
        expect(refusedOrEchoed).toMatchObject({
          id: 5,
          result: { content: [{ text: '{"of":"the second"}' }] },
        })
      } else {
        expect(refusedOrEchoed.error).toMatchObject({ code: -32600 })
      }
    },
  )
}
