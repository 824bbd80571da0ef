import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  deadlinesOf,
  defineServer,
  type MessageSession,
  openInProcess,
  type Session,
  tool,
} from '../src/index.ts'
import { build, callText, openConversation } from './support/conversation.ts'
import { createTestClock } from './support/test-clock.ts'

const calls = 10_000

const server = defineServer({
  name: 'echo',
  version: '1',
  tools: {
    echo: tool({
      description: 'Answers with its argument, at once or later, having read its signal.',
      input: z.object({ text: z.string(), later: z.boolean() }),
      async run({ text, later }, context) {
        context.progress({ progress: 1 })
        if (later) await Promise.resolve()
        return context.signal.aborted ? 'aborted' : text
      },
    }),
  },
})

/** Makes the calls, all with one signal that is never aborted, a few of them with one that is. */
async function soak(session: Session): Promise<void> {
  const shared = new AbortController()
  for (let i = 0; i < calls; i++) {
    const args = { text: `${i}`, later: i % 2 === 0 }
    if (i % 100 === 0) {
      const own = new AbortController()
      const params = { name: 'echo', arguments: args }
      const answer = session.request('tools/call', params, { signal: own.signal })
      own.abort()
      await expect(answer).rejects.toThrow('was cancelled')
    }
    const options = { signal: shared.signal, onProgress: () => {} }
    await session.request('tools/call', { name: 'echo', arguments: args }, options)
  }
  expect(getEventListeners(shared.signal, 'abort')).toEqual([])
  expect((session as MessageSession).awaiting).toBe(0)
  expect(await callText(session, 'echo', { text: 'alive', later: true })).toBe('alive')
}

test('10,000 calls in process leave nothing behind', async () => {
  const clock = createTestClock()
  const session = openInProcess(await build(server), { clock })
  await soak(session)
  expect(deadlinesOf(clock).entries()).toEqual([])
  await clock.advance(100)
  expect(clock.timers).toBe(0)
})

test('10,000 calls over a wire pair leave nothing behind', async () => {
  const clock = createTestClock()
  const options = { clock }
  await using talk = await openConversation(await build(server), {
    clientOptions: options,
    serverOptions: options,
  })
  await soak(talk.client)
  expect((talk.server as MessageSession).answering).toBe(0)
  expect(deadlinesOf(clock).entries()).toEqual([])
  await clock.advance(100)
  expect(clock.timers).toBe(0)
})
