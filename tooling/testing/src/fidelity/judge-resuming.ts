import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { JsonObject } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'
import { type OpenRawSession, type RawAnswer, toCall, toMessage } from './raw-session.ts'
import type { StreamSubject } from './target.ts'

interface Seen {
  lastEventId: string
  message: JsonObject
}

const id = 'resumed'

/** A stream that was cut goes on where it was, on a GET with `Last-Event-ID`. */
export function judgeResuming(subject: StreamSubject, open: OpenRawSession): void {
  const { publicName } = subject
  const call = (gate: string): JsonObject =>
    toCall(id, publicName('progress'), { steps: 6, after: 3, gate }, { progressToken: 'p' })

  test('a cut stream resumes with exactly what was missed, the answer included', async () => {
    await using session = await open()
    const gate = randomUUID()
    const seen = await readMessages(await session.post(call(gate)), 3)
    expect(seen.map(toStep)).toEqual([1, 2, 3])
    await session.call(publicName('state'), { open: [gate], opened: [`done ${gate}`] })
    const resumed = await session.listen(seen[2]?.lastEventId)
    expect(resumed).toMatchObject({ status: 200, type: 'text/event-stream' })
    const missed = await readMessages(resumed, 4)
    expect(missed.map(toStep)).toEqual([4, 5, 6, 'answer'])
    const ids = [...seen, ...missed].map(({ lastEventId }) => lastEventId)
    expect(new Set(ids).size, 'different event ids').toBe(7)
    expect(ids).not.toContain('')
  })

  test('a stream resumed while its call runs goes on live', async () => {
    await using session = await open()
    const gate = randomUUID()
    const seen = await readMessages(await session.post(call(gate)), 3)
    const resumed = await session.listen(seen[1]?.lastEventId)
    const [steps] = await Promise.all([
      readMessages(resumed, 5),
      session.call(publicName('state'), { open: [gate] }),
    ])
    expect(steps.map(toStep)).toEqual([3, 4, 5, 6, 'answer'])
  })
}

/** The first messages of a stream, which is then cut. */
async function readMessages(answer: RawAnswer, count: number): Promise<Seen[]> {
  const seen: Seen[] = []
  for await (const item of answer.items()) {
    const message = toMessage(item)
    if (item.kind === 'event' && message !== undefined) {
      seen.push({ lastEventId: item.lastEventId, message })
    }
    if (seen.length === count) {
      break
    }
  }
  return seen
}

function toStep({ message }: Seen): unknown {
  return message.id === id && 'result' in message ? 'answer' : asObject(message.params).progress
}
