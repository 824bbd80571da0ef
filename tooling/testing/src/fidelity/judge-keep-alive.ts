import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { collect } from './event-stream.ts'
import { type OpenRawSession, type RawAnswer, toCall, toMessage } from './raw-session.ts'
import type { StreamSubject } from './target.ts'

/** Streams on which nothing happens are kept alive by comments. */
export function judgeKeepAlive(subject: StreamSubject, open: OpenRawSession): void {
  const { publicName, keepAliveMs } = subject
  const within = 2 * keepAliveMs + 1_000

  test.concurrent('a GET stream on which nothing happens gets comments', async () => {
    await using session = await open()
    const stream = await session.listen()
    expect(stream).toMatchObject({ status: 200, type: 'text/event-stream' })
    await untilComment(stream, within)
  })

  test.concurrent('a POST stream whose call is quiet gets comments and then its answer', async () => {
    await using session = await open()
    const gate = randomUUID()
    const held = { steps: 1, after: 1, gate }
    const stream = await session.post(
      toCall('quiet', publicName('progress'), held, { progressToken: 'p' }),
    )
    const rest = await untilComment(stream, within)
    await session.call(publicName('state'), { open: [gate] })
    const messages = (await collect(rest)).map(toMessage).filter(Boolean)
    expect(messages).toMatchObject([{ id: 'quiet', result: {} }])
  })
}

/** Reads up to the next comment; gives what follows. */
async function untilComment(
  stream: RawAnswer,
  within: number,
): Promise<ReturnType<RawAnswer['items']>> {
  const items = stream.items()
  const timer = setTimeout(stream.cut, within)
  for (let next = await items.next(); !next.done; next = await items.next()) {
    if (next.value.kind === 'comment') {
      clearTimeout(timer)
      return items
    }
  }
  throw new Error(`Expected a comment within ${within} ms.`)
}
