import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import {
  defineServer,
  type JsonObject,
  openInProcess,
  openSession,
  tool,
  uncheckedSchema,
} from '../src/index.ts'
import { createLineWire } from '../src/stdio.ts'
import { build, openScripted, silent } from './support/conversation.ts'
import { createTestClock } from './support/test-clock.ts'

const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"a":1}'
const hostile = () => JSON.parse(text) as JsonObject

const echo = defineServer({
  name: 'echo',
  version: '1',
  tools: {
    echo: tool({
      description: 'Answers with its arguments.',
      input: uncheckedSchema({ type: 'object' }),
      run: (args, { meta }) => ({ content: [], structuredContent: args, _meta: meta }),
    }),
  },
})

test('a __proto__ member passes through a session and back as an ordinary member', async () => {
  const [up, down] = [new PassThrough(), new PassThrough()]
  const server = await openSession(createLineWire(up, down), await build(echo))
  await using client = await openClient(down, up)
  const params = { name: 'echo', arguments: hostile(), _meta: hostile() }
  const result = await client.session.request('tools/call', params, {
    onProgress: () => {},
    meta: { trace: 't' },
  })
  expect(JSON.stringify(result.structuredContent)).toBe(text)
  expect(JSON.stringify(result._meta)).toMatch(
    /^\{"__proto__":\{"admin":true\},"constructor":.*,"a":1,"trace":"t","progressToken":\d+\}$/,
  )
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
  await server.close()
})

test('a __proto__ member passes through every crossing in process', async () => {
  for (const crossing of ['reference', 'frozen', 'copy'] as const) {
    const session = openInProcess(await build(echo), { crossing })
    const result = await session.request('tools/call', { name: 'echo', arguments: hostile() })
    // A structured clone keeps own members, whatever they are called.
    expect(JSON.stringify(result.structuredContent)).toBe(text)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  }
})

test('a progress report with a __proto__ member changes nobody', async () => {
  await using peer = await openScripted(silent, { clock: createTestClock() })
  const seen: JsonObject[] = []
  const onProgress = (each: JsonObject) => seen.push(each)
  peer.session.request('a', {}, { onProgress }).catch(() => {})
  const params = '{"progressToken":1001,"progress":1,"__proto__":{"admin":true}}'
  await peer.say({ method: 'notifications/progress', params: JSON.parse(params) })
  expect(JSON.stringify(seen)).toBe('[{"progress":1,"__proto__":{"admin":true}}]')
  expect((seen[0] as { admin?: boolean }).admin).toBeUndefined()
})

async function openClient(input: PassThrough, output: PassThrough) {
  const session = await openSession(createLineWire(input, output), silent)
  return { session, [Symbol.asyncDispose]: () => session.close() }
}
