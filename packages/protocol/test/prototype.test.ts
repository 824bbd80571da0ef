import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import {
  defineServer,
  type JsonObject,
  openInProcess,
  openSession,
  parseMessage,
  tool,
  uncheckedSchema,
} from '../src/index.ts'
import { createLineWire } from '../src/stdio.ts'
import { build, silent } from './support/conversation.ts'

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
  const seen: JsonObject[] = []
  const [up, down] = [new PassThrough(), new PassThrough()]
  await using client = await openClient(down, up)
  const answer = client.session.request('a', {}, { onProgress: (each) => seen.push(each) })
  answer.catch(() => {})
  const [line] = await once(up)
  const request = parseMessage(line)
  const id = 'id' in request ? request.id : undefined
  down.write(
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":1,"__proto__":{"admin":true}}}\n`,
  )
  await once(down, 1)
  expect(JSON.stringify(seen)).toBe('[{"__proto__":{"admin":true},"progress":1}]')
  expect((seen[0] as { admin?: boolean }).admin).toBeUndefined()
})

async function openClient(input: PassThrough, output: PassThrough) {
  const session = await openSession(createLineWire(input, output), silent)
  return { session, [Symbol.asyncDispose]: () => session.close() }
}

/** The next lines of a stream. */
async function once(stream: PassThrough, skip = 0): Promise<[string]> {
  if (skip > 0) {
    await new Promise((resolve) => setImmediate(resolve))
    return ['']
  }
  const { promise, resolve } = Promise.withResolvers<string>()
  stream.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
  return [await promise]
}
