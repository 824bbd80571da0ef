import { describe, expect, test } from 'vitest'
import {
  defineServer,
  type JsonObject,
  openInProcess,
  type Progress,
  tool,
  uncheckedSchema,
} from '../src/index.ts'
import { build } from './support/conversation.ts'

const any = uncheckedSchema({ type: 'object' })

/** The error of a call whose arguments, or result, are these. */
async function refusal(value: unknown, side: 'params' | 'result' = 'params'): Promise<string> {
  const session = openInProcess({ onMessage: () => (side === 'result' ? value : {}) } as never, {
    crossing: 'frozen',
  })
  const params = side === 'params' ? { name: 'x', arguments: { value } } : {}
  return await session.request('tools/call', params).then(
    () => 'accepted',
    (error: Error) => error.message,
  )
}

describe('where values are frozen', () => {
  test('what JSON cannot hold is refused, and its place is named', async () => {
    expect(await refusal(new Date(0))).toMatchInlineSnapshot(
      `"params.arguments.value is not JSON: found Date. What passes between servers must survive JSON.stringify unchanged."`,
    )
    expect(await refusal({ a: [1, undefined] })).toMatchInlineSnapshot(
      `"params.arguments.value.a.1 is not JSON: found undefined. What passes between servers must survive JSON.stringify unchanged."`,
    )
    expect(await refusal(10n)).toContain('params.arguments.value is not JSON: found bigint.')
    expect(await refusal(Number.NaN)).toContain('found NaN.')
    expect(await refusal(Number.POSITIVE_INFINITY)).toContain('found Infinity.')
    expect(await refusal(new Map())).toContain('found Map.')
    expect(await refusal(new Uint8Array(1))).toContain('found Uint8Array.')
    expect(await refusal(() => {})).toContain('found function.')
    const cycle: JsonObject = {}
    cycle.self = { cycle }
    expect(await refusal(cycle)).toContain(
      'params.arguments.value.self.cycle is not JSON: found a cycle.',
    )
  })

  test('so is what a server answers', async () => {
    expect(await refusal({ content: [{ at: new Date(0) }] }, 'result')).toMatchInlineSnapshot(
      `"result.content.0.at is not JSON: found Date. What passes between servers must survive JSON.stringify unchanged."`,
    )
  })

  test('the same object in two places is no cycle', async () => {
    const twice = { a: 1 }
    expect(await refusal({ one: twice, two: [twice] })).toBe('accepted')
    expect(await refusal(Object.create(null))).toBe('accepted')
  })

  test('nobody can change a message that was sent', async () => {
    const seen: JsonObject[] = []
    const session = openInProcess(
      {
        onMessage(message) {
          seen.push(message.params ?? {})
          return { content: [{ type: 'text' }] }
        },
      },
      { crossing: 'frozen' },
    )
    const result = await session.request('a', { deep: { list: [1] } })
    expect(() => {
      ;(seen[0]?.deep as JsonObject).more = 1
    }).toThrow(TypeError)
    expect(() => (result.content as unknown[]).push(1)).toThrow(TypeError)
  })

  test('what is said during a call is looked at too', async () => {
    const server = defineServer({
      name: 's',
      version: '1',
      logging: true,
      tools: {
        log: tool({
          description: '',
          run: (_, context) => context.log('info', new Date(0)) as undefined,
        }),
        progress: tool({
          description: '',
          run: (_, context) =>
            context.progress({ progress: 1, at: new Date(0) }) as unknown as undefined,
        }),
        ask: tool({
          description: '',
          run: async (_, { session }) =>
            JSON.stringify(await session.request('x', { at: new Date(0) })),
        }),
      },
    })
    const session = openInProcess(await build(server), { crossing: 'frozen' })
    const text = async (name: string) => {
      const { content } = await session.request('tools/call', { name })
      return (content as [{ text: string }])[0].text
    }
    expect(await text('log')).toContain('params.data is not JSON: found Date.')
    expect(await text('progress')).toContain('progress.at is not JSON: found Date.')
    expect(await text('ask')).toContain('params.at is not JSON: found Date.')
  })
})

describe('where values are copied', () => {
  test('neither end can change what the other holds', async () => {
    const kept: { list?: number[] }[] = []
    const answer = { content: [{ type: 'text', text: 'original' }] }
    const session = openInProcess(
      await build(
        defineServer({
          name: 's',
          version: '1',
          tools: {
            keep: tool({
              description: '',
              input: any,
              run(args, context) {
                kept.push(args)
                context.progress({ progress: 1, detail: args })
                return answer as never
              },
            }),
          },
        }),
      ),
      { crossing: 'copy' },
    )
    const args = { list: [1] }
    const reports: Progress[] = []
    const onProgress = (each: Progress) => reports.push(each)
    const result = await session.request(
      'tools/call',
      { name: 'keep', arguments: args },
      { onProgress },
    )
    kept[0]?.list?.push(2)
    ;(result.content as JsonObject[])[0] = {}
    expect(args).toEqual({ list: [1] })
    expect(reports).toEqual([{ progress: 1, detail: { list: [1] } }])
    expect(answer.content).toEqual([{ type: 'text', text: 'original' }])
  })

  test('what cannot be copied fails the call, not the process', async () => {
    const session = openInProcess({ onMessage: () => ({ run: () => {} }) }, { crossing: 'copy' })
    await expect(session.request('a', {})).rejects.toThrow('Internal error')
    await expect(session.request('a', { run: () => {} })).rejects.toThrow('Internal error')
  })
})
