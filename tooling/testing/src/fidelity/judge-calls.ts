import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { structuredResults } from '../probe/fixture-results.ts'
import { awkwardMembers, awkwardStrings } from '../probe/fixture-text.ts'
import { asObject } from '../probe/session.ts'
import { expectSame } from './compare.ts'
import { expectSameEnds, type Stage } from './stage.ts'

/** Requests, results and errors of calls are the same JSON at both ends. */
export function judgeCalls(stage: () => Stage): void {
  test.each(Object.keys(structuredResults))(
    'a structured result arrives whole: %s',
    async (shape) => {
      const params = { name: 'structured', arguments: { shape } }
      const ends = await stage().exchange('tools/call', params)
      expectSame(ends.near.answer, { result: structuredResults[shape] })
      expectSameEnds(ends, stage().subject)
    },
  )

  test('text that a careless hop bends arrives unbent in a result', async () => {
    expectSameEnds(await stage().exchange('tools/call', { name: 'unicode' }), stage().subject)
  })

  test('text and members that a careless hop bends arrive unbent in arguments', async () => {
    const params = { name: 'echo', arguments: { awkwardStrings, awkwardMembers } }
    const ends = await stage().exchange('tools/call', params)
    expectSameEnds(ends, stage().subject)
    expectSame(echoed(ends.near.answer).arguments, params.arguments)
  })

  test("a request's _meta and unknown parameters reach the server, and its _meta comes back", async () => {
    const _meta = { 'example.test/trace': { deep: [null, false, 0, ''] }, traceparent: '00-1-2-01' }
    const params = { name: 'echo', arguments: {}, _meta, 'x-unknown': { nested: [null, false] } }
    const ends = await stage().exchange('tools/call', params)
    expectSameEnds(ends, stage().subject)
    expect(echoed(ends.near.answer)).toMatchObject({ _meta, 'x-unknown': params['x-unknown'] })
  })

  test('a call without arguments stays one without arguments', async () => {
    const ends = await stage().exchange('tools/call', { name: 'echo' })
    expectSameEnds(ends, stage().subject)
    expect(asObject(ends.far?.request.params)).not.toHaveProperty('arguments')
  })

  test('a JSON-RPC error keeps its code, message and data', async () => {
    const ends = await stage().exchange('tools/call', { name: 'fail', arguments: {} })
    expectSameEnds(ends, stage().subject)
    expect(ends.near.answer).toMatchObject({ error: { code: -32050 } })
  })

  test('an unknown tool is refused with -32602', async () => {
    const { near } = await stage().exchange('tools/call', { name: 'nowhere', arguments: {} })
    expect(near.answer).toMatchObject({ error: { code: -32602 } })
  })

  test('a result of 5 MB arrives whole', async () => {
    const ends = await stage().exchange('tools/call', { name: 'large', arguments: { size: 5e6 } })
    expectSameEnds(ends, stage().subject)
    const content = [{ type: 'text', text: expect.stringMatching(/^5000000 characters/) }]
    expect(ends.near.answer).toEqual({ result: { content } })
  })

  test('an argument of 3 MB arrives whole', async () => {
    const payload = 'ab€😀'.repeat(300_000)
    const ends = await stage().exchange('tools/call', { name: 'digest', arguments: { payload } })
    expectSameEnds(ends, stage().subject)
    const sha256 = createHash('sha256').update(payload).digest('hex')
    const structuredContent = { length: payload.length, sha256 }
    expect(ends.near.answer).toEqual({ result: { content: [], structuredContent } })
  })

  test('200 calls of 2 clients at once each get their own answer', {
    timeout: 20_000,
  }, async () => {
    const { client, subject, connect } = stage()
    await using other = await connect()
    const calls = Array.from({ length: 200 }, async (_, index) => {
      const args = { index, payload: `${randomUUID()} 😀 `.repeat(1 + (index % 20)) }
      const by = index % 2 === 0 ? client : other
      const result = await by.callTool(subject.publicName('echo'), args)
      return [echoed({ result }).arguments, args] as const
    })
    for (const [answered, args] of await Promise.all(calls)) {
      expect(answered).toEqual(args)
    }
  })
}

function echoed(answer: { result?: unknown } | undefined): Record<string, unknown> {
  return asObject(asObject(asObject(answer?.result).structuredContent).params)
}
