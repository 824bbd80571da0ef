import { describe, expect, test } from 'vitest'
import { createGateway } from './support/gateway.ts'
import { answerTools, describeTool, serveUpstream, text } from './support/upstream.ts'

function upstream(...names: string[]) {
  return serveUpstream(
    answerTools(Object.fromEntries(names.map((name) => [name, () => text(name)]))),
  )
}

describe('a view', () => {
  test('lets through what it names, and nothing else can be called', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream('a', 'b', 'c'), two: upstream('a', 'b') },
      view: { refs: ['one/*', '!one/b', 'two/b'] },
    })
    const client = await gateway.client()
    expect(await client.names()).toEqual(['one__a', 'one__c', 'two__b'])
    expect(await client.text('one__b')).toBe('-32602 Unknown tool: one__b')
    expect(await client.text('two__b')).toBe('b')
  })

  test('starts no server that it lets nothing through of', async () => {
    const hidden = upstream('a')
    await using gateway = createGateway({
      upstreams: { one: upstream('a'), hidden },
      view: { refs: ['*', '!hidden'] },
    })
    const client = await gateway.client()
    await client.names()
    await client.text('hidden__a')
    expect(hidden.attempts).toBe(0)
  })

  test('renames, and the old name is gone', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream('a', 'b') },
      view: { refs: ['*', 'one/a:best'] },
    })
    const client = await gateway.client()
    expect(await client.names()).toEqual(['best', 'one__b'])
    expect(await client.text('best')).toBe('a')
    expect(await client.text('one__a')).toBe('-32602 Unknown tool: one__a')
    expect(gateway.events).toMatchObject([{ server: 'one', name: 'a' }])
  })

  test('describes in its own words', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream('a', 'b') },
      view: { refs: ['*'], describe: { 'one/a': 'In short.' } },
    })
    const client = await gateway.client()
    expect(await client.list('tools')).toEqual([
      { ...describeTool('one__a'), description: 'In short.' },
      describeTool('one__b'),
    ])
  })

  test('shows plain names where the server is configured so, as far as they are free', async () => {
    const plainNames = true
    await using gateway = createGateway({
      upstreams: {
        one: [upstream('a', 'b'), { plainNames }],
        two: [upstream('a', 'read.file'), { plainNames }],
      },
    })
    for (let round = 0; round < 3; round++) {
      const client = await gateway.client()
      expect(await client.names()).toEqual([
        'a',
        'b',
        'two__a',
        expect.stringMatching(/^read_file_/),
      ])
      expect(await client.text('two__a')).toBe('a')
    }
    expect(gateway.logs).toEqual([
      ': two/a cannot be named a, which is taken: it is shown as two__a',
    ])
  })

  test('of aliases that clash keeps the first, and says so', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream('a', 'b'), two: upstream('a') },
      view: { refs: ['two/a:best', 'one/b:best', 'one/a:two__a'] },
    })
    for (let round = 0; round < 3; round++) {
      expect(await (await gateway.client()).names()).toEqual(['two__a', 'best'])
    }
    expect(gateway.logs).toMatchInlineSnapshot(`
      [
        ": two/a cannot be named best, which is taken: it is left out",
      ]
    `)
  })

  test('cannot give one tool the name that another one has by itself', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream('a'), two: upstream('a') },
      view: { refs: ['*', 'one/a:two__a'] },
    })
    const client = await gateway.client()
    expect(await client.names()).toEqual(['one__a', 'two__a'])
    await client.call('two__a')
    expect(gateway.events).toMatchObject([{ server: 'two' }])
  })

  test('is each publication’s own', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream('a', 'b') } })
    const first = await gateway.client({ to: gateway.service.publish({ refs: ['one/a'] }) })
    const second = await gateway.client({ to: gateway.service.publish({ refs: ['one/b'] }) })
    expect([await first.names(), await second.names()]).toEqual([['one__a'], ['one__b']])
  })

  test('that cannot be read is refused when it is published', async () => {
    await using gateway = createGateway()
    expect(() => gateway.service.publish({ refs: ['/x'] })).toThrow('Invalid reference "/x"')
  })
})

describe('prompts', () => {
  const server = () =>
    serveUpstream(
      answerTools(
        {},
        {
          'prompts/list': () => ({ prompts: [{ name: 'greet', 'x-y': null }, { name: 'secret' }] }),
          'prompts/get': (params) => ({ messages: [], params }),
        },
      ),
    )

  test('go by the same names and views as tools', async () => {
    await using gateway = createGateway({
      upstreams: { one: server(), two: server() },
      view: { refs: ['*', '!*/secret', 'two/greet:hello'] },
    })
    const client = await gateway.client()
    expect(await client.list('prompts')).toEqual([
      { name: 'one__greet', 'x-y': null },
      { name: 'hello', 'x-y': null },
    ])
    const params = { name: 'hello', arguments: { a: '1' } }
    expect(await client.session.request('prompts/get', params)).toMatchObject({
      params: { name: 'greet', arguments: { a: '1' } },
    })
    await expect(
      client.session.request('prompts/get', { name: 'one__secret' }),
    ).rejects.toMatchObject({ number: -32602, message: 'Unknown prompt: one__secret' })
  })
})

test('who publishes is who is named, with the instructions of servers that are known', async () => {
  const wordy = serveUpstream(
    answerTools(
      { a: () => text('') },
      {
        initialize: ({ protocolVersion }) => ({
          protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'wordy', version: '1' },
          instructions: `Use a. ${'x'.repeat(3000)}`,
        }),
      },
    ),
  )
  await using gateway = createGateway({
    upstreams: { one: wordy, two: upstream('a') },
    info: { name: 'gate', version: '7', title: 'The gate' },
  })
  const before = await gateway.client()
  expect(before.session.peer?.result).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
    },
    serverInfo: { name: 'gate', version: '7', title: 'The gate' },
  })
  await before.names()
  const after = await gateway.client()
  const instructions = String(after.session.peer?.instructions)
  expect(instructions.slice(0, 20)).toBe('## one\n\nUse a. xxxxx')
  expect(instructions).toHaveLength(8 + 2000 + 1)
})
