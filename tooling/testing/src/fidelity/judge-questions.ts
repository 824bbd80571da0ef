import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { questions } from '../probe/fixture-results.ts'
import { asObject, ProbeError } from '../probe/session.ts'
import { carriedBy, expectSame, toCarried } from './compare.ts'
import type { Exchange } from './exchange.ts'
import { type BothEnds, expectSameEnds, fullBehaviour, type Stage } from './stage.ts'

const methods = Object.keys(questions)
const rootsChanged = 'notifications/roots/list_changed'

/** What a server asks its client, and what it is told. */
export function judgeQuestions(stage: () => Stage): void {
  test.each(methods)(
    '%s reaches the client and its answer the server, both untouched',
    async (method) => {
      const ends = await stage().exchange('tools/call', { name: 'ask', arguments: { method } })
      expectSameQuestion(ends, method)
      expectSameEnds(ends, stage().subject)
    },
  )

  test("a client's refusal of a question reaches the server with its code, message and data", async () => {
    await using refusing = await stage().connect({
      ...fullBehaviour,
      answer: () => {
        throw new ProbeError({
          code: -32042,
          message: 'Not today 😀',
          data: { why: [null, false] },
        })
      },
    })
    const method = 'elicitation/create'
    const params = { name: 'ask', arguments: { method } }
    const ends = await stage().exchange('tools/call', params, { client: refusing })
    expectSameQuestion(ends, method)
    expectSameEnds(ends, stage().subject)
  })

  test('the server is told exactly the capabilities of the client', async () => {
    const { far } = await stage().exchange('tools/call', { name: 'echo' })
    const opening = far?.conversation.find(({ message }) => message.method === 'initialize')
    const { capabilities } = asObject(opening?.message.params)
    expectSame(capabilities, stage().client.capabilities)
  })

  test('a client that declares nothing is not asked, and the server learns so at once', async () => {
    await using bare = await stage().connect({ capabilities: {} })
    for (const method of methods) {
      const params = { name: 'ask', arguments: { method } }
      const started = performance.now()
      const { near } = await stage().exchange('tools/call', params, { client: bare })
      expect(performance.now() - started).toBeLessThan(1_000)
      const { error } = asObject(asObject(near.answer?.result).structuredContent)
      expect(error).toMatchObject({ code: -32601 })
      if (stage().subject.kind !== 'direct') {
        expect(carriedBy(near.during, 'in', method)).toEqual([])
      }
    }
  })

  test('the server hears that the roots of the client have changed', async () => {
    const nonce = randomUUID()
    const { far } = await stage().exchange('tools/call', { name: 'echo' }, { nonce })
    expect(carriedBy(far?.conversation ?? [], 'in', rootsChanged)).toEqual([])
    await stage().client.notify(rootsChanged)
    await expect
      .poll(() =>
        stage()
          .find(nonce)
          .far?.conversation.map(({ message }) => message.method),
      )
      .toContain(rootsChanged)
  })
}

function expectSameQuestion({ near, far }: BothEnds, method: string): void {
  const asked = near.during.find(({ message }) => message.method === method)?.message
  const sent = far?.during.find(({ message }) => message.method === method)?.message
  expect(asked, 'the question at the client').toBeDefined()
  expectSame(toCarried(asked?.params), toCarried(sent?.params))
  expectSame(answerTo(near, asked?.id, 'out'), answerTo(far, sent?.id, 'in'))
}

function answerTo(end: Exchange | undefined, id: unknown, direction: 'in' | 'out'): unknown {
  const answer = end?.during.find(
    (record) =>
      record.direction === direction && record.message.id === id && !('method' in record.message),
  )
  expect(answer, 'an answer to the question').toBeDefined()
  return { ...answer?.message, id: 0 }
}
