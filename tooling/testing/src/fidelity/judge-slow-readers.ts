import { expect, test } from 'vitest'
import type { JsonObject } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'
import {
  type OpenRawSession,
  type RawAnswer,
  type RawSession,
  toCall,
  toMessage,
} from './raw-session.ts'
import type { StreamSubject } from './target.ts'

const mebibyte = 1024 * 1024

/** A client that does not read what it is sent holds up nobody else. */
export function judgeSlowReaders(subject: StreamSubject, open: OpenRawSession): void {
  const { publicName } = subject

  test('a result of 5 MB left unread stalls nobody and arrives whole when it is read', async () => {
    await using slow = await open()
    await using other = await open()
    const unread = await slow.post(toCall('large', publicName('large'), { size: 5e6 }))
    await expectPrompt(other, publicName('echo'))
    const [answer] = await unread.messages()
    const [block] = asObject(answer?.result).content as { text: string }[]
    expect(block?.text).toHaveLength(5_000_000)
  })

  test('24 MB of messages left unread stall nobody, and arrive in order when they are read', async () => {
    await using slow = await open()
    await using other = await open()
    const flood = { count: 24, size: mebibyte }
    const unread = await slow.post(toCall('flood', publicName('log'), flood))
    await expectPrompt(other, publicName('echo'))
    const messages = await readToTheEnd(unread)
    const answers = messages.filter((message) => message.id === 'flood')
    const indexes = messages
      .filter((message) => message.method === 'notifications/message')
      .map(({ params }) => asObject(asObject(params).data).index)
    expect(indexes).toEqual(indexes.map((_, index) => index))
    if (!subject.cutsSlowReaders) {
      expect(indexes).toHaveLength(flood.count)
      expect(answers).toMatchObject([{ result: {} }])
    }
    // A stream that was cut takes nothing else of its session with it.
    await expectPrompt(slow, publicName('echo'))
  })
}

/** The messages of a stream, up to its end or to where it was cut. */
async function readToTheEnd(answer: RawAnswer): Promise<JsonObject[]> {
  const messages: JsonObject[] = []
  try {
    for await (const item of answer.items()) {
      const message = toMessage(item)
      if (message !== undefined) messages.push(message)
    }
  } catch (error) {
    if (!(error instanceof Error && error.message === 'aborted')) throw error
  }
  return messages
}

/** Less than the 15 s after which a reader that takes nothing is cut off. */
const prompt = 10_000

async function expectPrompt(session: RawSession, echo: string): Promise<void> {
  for (let index = 0; index < 20; index += 1) {
    const started = performance.now()
    expect(await session.call(echo, { index })).toHaveProperty('result')
    expect(performance.now() - started).toBeLessThan(prompt)
  }
}
