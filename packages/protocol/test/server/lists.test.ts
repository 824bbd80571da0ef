import { describe, expect, test } from 'vitest'
import { type ChangedList, defineServer, drainList, type Tool, tool } from '../../src/index.ts'
import {
  build,
  callText,
  environment,
  errorOf,
  openConversation,
  openServer,
} from '../support/conversation.ts'

const numbered = (count: number, suffix = '') =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `t${i}${suffix}`,
      tool({ description: '', run: () => `t${i}${suffix}` }),
    ]),
  )

describe('the handshake of a defined server', () => {
  test('declares what it has, and nothing else', async () => {
    const handler = await build(
      defineServer({
        name: 'weather',
        version: '2',
        title: 'Weather',
        websiteUrl: 'https://weather.test',
        icons: [{ src: 'https://weather.test/i.png' }],
        instructions: 'Ask for one city.',
        logging: true,
        tools: {},
        prompts: {},
        resources: {},
        watch: () => () => {},
      }),
    )
    await using talk = await openConversation(handler)
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} }
    expect(await talk.client.request('initialize', params)).toMatchInlineSnapshot(`
      {
        "capabilities": {
          "completions": {},
          "logging": {},
          "prompts": {
            "listChanged": true,
          },
          "resources": {
            "listChanged": true,
            "subscribe": true,
          },
          "tools": {
            "listChanged": true,
          },
        },
        "instructions": "Ask for one city.",
        "protocolVersion": "2025-06-18",
        "serverInfo": {
          "icons": [
            {
              "src": "https://weather.test/i.png",
            },
          ],
          "name": "weather",
          "title": "Weather",
          "version": "2",
          "websiteUrl": "https://weather.test",
        },
      }
    `)
  })

  test('of a server with nothing declares nothing, and its lists are unknown methods', async () => {
    await using talk = await openServer({})
    expect(talk.client.peer?.capabilities).toEqual({})
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'completion/complete']) {
      expect(await errorOf(talk.client.request(method, {}))).toBe(
        `-32601 Method not found: ${method}`,
      )
    }
    expect(await talk.client.request('ping', {})).toEqual({})
    talk.client.notify('notifications/ours')
    expect(talk.fromServer.some((message) => 'method' in message)).toBe(false)
  })
})

describe('paging', () => {
  test('splits every list, and the pages together are the whole', async () => {
    await using talk = await openServer({ pageSize: 3, tools: numbered(7) })
    const first = await talk.client.request('tools/list', {})
    expect(first.tools).toHaveLength(3)
    expect(first.nextCursor).toBe('after-3')
    expect((await drainList(talk.client, 'tools')).map(({ name }) => name)).toEqual(
      Object.keys(numbered(7)),
    )
  })

  test('has no cursor on the last page, even when it is full', async () => {
    await using talk = await openServer({ pageSize: 3, tools: numbered(6) })
    const last = await talk.client.request('tools/list', { cursor: 'after-3' })
    expect(Object.keys(last)).toEqual(['tools'])
    expect(last.tools).toHaveLength(3)
  })

  test('refuses a cursor that is not its own', async () => {
    await using talk = await openServer({ pageSize: 3, tools: numbered(7) })
    const list = (cursor: unknown) => errorOf(talk.client.request('tools/list', { cursor }))
    expect(await list('after-99')).toMatchInlineSnapshot(
      `"-32602 Invalid cursor: expected the nextCursor of an earlier page, received "after-99""`,
    )
    for (const cursor of ['', 'after-', 'after--1', 'after-1e9', 3, null, {}]) {
      expect(await list(cursor)).toContain('-32602 Invalid cursor')
    }
  })

  test('an empty list is an empty list', async () => {
    await using talk = await openServer({ tools: {}, prompts: {}, resources: {} })
    expect(await talk.client.request('tools/list', {})).toEqual({ tools: [] })
    expect(await talk.client.request('prompts/list', {})).toEqual({ prompts: [] })
    expect(await talk.client.request('resources/list', {})).toEqual({ resources: [] })
    expect(await talk.client.request('resources/templates/list', {})).toEqual({
      resourceTemplates: [],
    })
  })
})

describe('parts that depend on who asks', () => {
  test('are listed and called for each as they are', async () => {
    const forName = (name: unknown): Record<string, Tool> => (name === 'ann' ? numbered(1) : {})
    const handler = await build(
      defineServer({
        name: 's',
        version: '1',
        tools: async ({ principal }) => forName(principal.id),
      }),
    )
    const as = (id: string) =>
      openConversation(handler, { serverOptions: { principal: { id, scopes: [] } } })
    await using ann = await as('ann')
    await using bob = await as('bob')
    expect((await ann.client.request('tools/list', {})).tools).toHaveLength(1)
    expect(await callText(ann.client, 't0')).toBe('t0')
    expect((await bob.client.request('tools/list', {})).tools).toEqual([])
    expect(await errorOf(callText(bob.client, 't0'))).toBe('-32602 Unknown tool: t0')
  })

  test('that fail to be made fail the request alone', async () => {
    await using talk = await openServer({ tools: () => Promise.reject(new Error('x')) })
    expect(await errorOf(callText(talk.client, 't0'))).toBe('-32603 Internal error')
    expect(await errorOf(talk.client.request('tools/list', {}))).toBe('-32603 Internal error')
    expect(await talk.client.request('ping', {})).toEqual({})
  })
})

describe('parts that need the environment', () => {
  test('are added to the others', async () => {
    const folders: string[] = []
    const watched: string[] = []
    const watch = (name: string) => (changed: (list: ChangedList) => void) => {
      changed('tools')
      return () => void watched.push(name)
    }
    const closing = new AbortController()
    await using talk = await openServer(
      {
        tools: numbered(1, 'fixed'),
        prompts: { a: { get: () => 'a' } },
        resources: { 'r:a': { name: 'a', read: () => 'a' } },
        resourceTemplates: { 'r:{a}': { name: 'a', read: () => 'a' } },
        watch: watch('fixed'),
        setup({ folder }) {
          folders.push(folder)
          return {
            tools: () => numbered(1, 'made'),
            prompts: { b: { get: () => 'b' } },
            resources: { 'r:b': { name: 'b', read: () => 'b' } },
            resourceTemplates: { 's:{a}': { name: 'b', read: () => 'b' } },
            watch: watch('made'),
          }
        },
      },
      { closing: closing.signal },
    )
    expect(folders).toEqual([environment().folder])
    const names = async (kind: 'tools' | 'prompts' | 'resources' | 'resourceTemplates') =>
      (await drainList(talk.client, kind)).map(({ name }) => name)
    expect(await names('tools')).toEqual(['t0fixed', 't0made'])
    expect(await names('prompts')).toEqual(['a', 'b'])
    expect(await names('resources')).toEqual(['a', 'b'])
    expect(await names('resourceTemplates')).toEqual(['a', 'b'])
    expect(await callText(talk.client, 't0made')).toBe('t0made')
    closing.abort()
    expect(watched).toEqual(['fixed', 'made'])
  })

  test('stand for themselves where there are no others', async () => {
    await using talk = await openServer({ setup: () => ({ tools: numbered(1) }) })
    expect(await callText(talk.client, 't0')).toBe('t0')
    await using fixed = await openServer({ tools: numbered(1), setup: () => ({}) })
    expect(await callText(fixed.client, 't0')).toBe('t0')
    await using both = await openServer({
      tools: numbered(1),
      setup: () => ({ tools: numbered(2) }),
    })
    expect(await callText(both.client, 't1')).toBe('t1')
  })
})

describe('a list that changes', () => {
  test('is announced to every session that has shaken hands, until it or the server ends', async () => {
    let change = (_: ChangedList) => {}
    let stopped = 0
    const closing = new AbortController()
    const definition = defineServer({
      name: 's',
      version: '1',
      tools: {},
      watch(changed) {
        change = changed
        return () => {
          stopped += 1
        }
      },
    })
    const handler = await build(definition, closing.signal)
    await using greeting = await openConversation(handler)
    await using known = await openConversation(handler)
    await using gone = await openConversation(handler)
    await greeting.client.request('initialize', {})
    for (const talk of [known, known, gone]) talk.client.notify('notifications/initialized')
    await gone.client.close()
    change('tools')
    change('prompts')
    const heard = (talk: typeof known) =>
      talk.fromServer.flatMap((message) => ('method' in message ? [message.method] : []))
    expect(heard(greeting)).toEqual([])
    expect(heard(gone)).toEqual([])
    expect(heard(known)).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
    ])
    closing.abort()
    expect(stopped).toBe(1)
  })
})
