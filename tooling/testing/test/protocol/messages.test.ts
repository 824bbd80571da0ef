import { drainList, type JsonObject, type Progress, type RequestId } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { type ConnectOptions, describeTransports } from '../../src/index.ts'

const wide = new URL('./servers/wide-server.ts', import.meta.url)
const everything = { elicitation: {}, sampling: {}, roots: {} }

describeTransports('a server', (connect, transport) => {
  test('shakes hands, and answers a ping', async () => {
    await using connection = await connect(wide)
    const { peer } = connection.session
    expect(peer?.protocolVersion).toBe('2025-11-25')
    expect(peer?.info).toMatchObject({ name: 'wide', version: '1' })
    expect(peer?.instructions).toBe('Try everything.')
    expect(peer?.capabilities).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
    })
    expect(await connection.session.request('ping', {})).toEqual({})
  })

  test('lists everything, page by page', async () => {
    await using connection = await connect(wide)
    const first = await connection.session.request('tools/list', {})
    expect(first).toHaveProperty('nextCursor', 'after-5')
    expect((await drainList(connection.session, 'tools')).map(({ name }) => name)).toEqual([
      'echo',
      'big',
      'fail',
      'refuse',
      'report',
      'ask',
      'wait',
      'change',
    ])
  })

  test('gets and gives what JSON holds, to the last character', async () => {
    await using connection = await connect(wide)
    const text = '{"__proto__":{"x":1},"null":null,"no":false,"0":0,"":"","float":1.5e-7}'
    const args = { ...JSON.parse(text), text: 'snö 漢字 😀\u2028\u2029\u0000\\"\r\n' } as JsonObject
    const result = await connection.session.request('tools/call', {
      name: 'echo',
      arguments: args,
      _meta: { trace: { id: 't' } },
    })
    expect(JSON.stringify(result.structuredContent)).toBe(JSON.stringify(args))
    expect(result._meta).toEqual({ received: { id: 't' } })
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test('takes a request of 3 MB and gives a result of 10 MB', async () => {
    await using connection = await connect(wide)
    const { session } = connection
    const text = 'x'.repeat(3 * 1024 * 1024)
    const echoed = await session.request('tools/call', { name: 'echo', arguments: { text } })
    expect((echoed.structuredContent as { text: string }).text === text).toBe(true)
    const length = 5 * 1024 * 1024
    const big = await session.request('tools/call', { name: 'big', arguments: { length } })
    expect((big.content as [{ text: string }])[0].text).toHaveLength(length)
  })

  test('answers 200 calls at once, each with its own', async () => {
    await using connection = await connect(wide)
    const numbers = Array.from({ length: 200 }, (_, number) => number)
    const results = await Promise.all(
      numbers.map((number) =>
        connection.session.request('tools/call', { name: 'echo', arguments: { number } }),
      ),
    )
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual(
      numbers.map((number) => ({ number })),
    )
  })

  test('fails in its own words', async () => {
    await using connection = await connect(wide)
    const { session } = connection
    expect(await session.request('tools/call', { name: 'fail' })).toEqual({
      content: [{ type: 'text', text: 'The disk is full' }],
      isError: true,
    })
    await expect(session.request('tools/call', { name: 'refuse' })).rejects.toMatchObject({
      number: -32042,
      message: 'Visit us',
      data: { url: 'x:y' },
    })
    await expect(session.request('tools/call', { name: 'none' })).rejects.toMatchObject({
      number: -32602,
      message: 'Unknown tool: none',
    })
    await expect(session.request('ours/none', {})).rejects.toMatchObject({ number: -32601 })
    await expect(session.request('resources/read', { uri: 'test://none' })).rejects.toMatchObject({
      number: -32002,
      data: { uri: 'test://none' },
    })
  })

  test('gives resources, prompts and completions', async () => {
    await using connection = await connect(wide)
    const { session } = connection
    expect(await session.request('resources/read', { uri: 'test://bytes' })).toEqual({
      contents: [{ uri: 'test://bytes', blob: 'AP+A' }],
    })
    expect(await session.request('resources/read', { uri: 'test://users/7' })).toEqual({
      contents: [{ uri: 'test://users/7', text: 'user 7' }],
    })
    const prompt = { name: 'greet', arguments: { who: 'Ann' } }
    expect(await session.request('prompts/get', prompt)).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi Ann' } }],
    })
    expect(
      await session.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'test://users/{id}' },
        argument: { name: 'id', value: 'b' },
      }),
    ).toEqual({ completion: { values: ['bob'], total: 1, hasMore: false } })
  })

  test('reports progress and log lines before its result, in order', async () => {
    const said: unknown[] = []
    await using connection = await connect(wide, {
      client: { onMessage: ({ method, params }) => void said.push([method, params]) },
    })
    const onProgress = (progress: Progress) => said.push(progress)
    await connection.session.request('tools/call', { name: 'report' }, { onProgress })
    said.push('result')
    expect(said).toEqual([
      { progress: 1, total: 2, message: 'half' },
      ['notifications/message', { level: 'warning', data: { at: 'half' } }],
      { progress: 2, total: 2 },
      'result',
    ])
    said.length = 0
    await connection.session.request('logging/setLevel', { level: 'error' })
    await connection.session.request('tools/call', { name: 'report' })
    expect(said).toEqual([])
  })

  test('asks its client, and each answer goes to the call that asked', async () => {
    const related = new Map<unknown, RequestId | undefined>()
    await using connection = await connect(wide, answering(related))
    const ids = new Map<unknown, RequestId>()
    const call = (text: string) =>
      connection.session.request(
        'tools/call',
        { name: 'ask', arguments: { text } },
        { onPending: ({ id }) => void ids.set(text, id) },
      )
    const results = await Promise.all(['one', 'two', 'three'].map(call))
    expect(results.map(({ content }) => content)).toEqual(
      ['one', 'two', 'three'].map((text) => [{ type: 'text', text: `${text} accept small 1` }]),
    )
    // A pipe cannot tell, nor can one stream for everything; a stream for each request can.
    if (transport === 'wire pair' || transport === 'http') expect(related).toEqual(ids)
  })

  test('is refused at once what its client did not declare', async () => {
    await using connection = await connect(wide, { capabilities: { elicitation: {} } })
    const params = { name: 'ask', arguments: { text: 'x' } }
    const { content, isError } = await connection.session.request('tools/call', params)
    expect(isError).toBe(true)
    expect((content as [{ text: string }])[0].text).toContain(
      'The client did not declare the capability "sampling".',
    )
  })
})

/** A client that answers, and remembers on which call's stream each elicitation came. */
function answering(related: Map<unknown, RequestId | undefined>): ConnectOptions {
  return {
    capabilities: everything,
    client: {
      onMessage({ method, params }, { relatedTo }) {
        if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] }
        if (method === 'elicitation/create') {
          related.set(params?.message, relatedTo)
          return { action: 'accept', content: {} }
        }
        return { role: 'assistant', model: 'small', content: { type: 'text', text: 'hi' } }
      },
    },
  }
}
