import { describe, expect, test } from 'vitest'
import { createTemplateMatcher, type ToolContext } from '../../src/index.ts'
import { errorOf, openServer } from '../support/conversation.ts'
import { settle } from '../support/test-clock.ts'

const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 256)

const resources = {
  'test://text': {
    name: 'text',
    title: 'A text',
    description: 'A text.',
    mimeType: 'text/plain',
    size: 5,
    annotations: { priority: 0 },
    _meta: { ours: false },
    read: () => 'hello',
  },
  'test://bytes': { name: 'bytes', read: async () => bytes },
  'test://both': {
    name: 'both',
    read: (_: unknown, uri: string) => ({
      contents: [
        { uri, text: 'a' },
        { uri: 'other', text: 'b' },
      ],
    }),
  },
  'test://broken': {
    name: 'broken',
    read() {
      throw new Error('/home/me/secret is not readable')
    },
  },
}

const resourceTemplates = {
  'test://users/{id}': {
    name: 'user',
    mimeType: 'application/json',
    read: ({ id }: Record<string, string>) =>
      id === 'nobody' ? undefined : JSON.stringify({ id }),
    list: () => [{ uri: 'test://users/1', name: 'one', ours: true }],
    complete: { id: () => ['1'] },
  },
}

describe('listing resources', () => {
  test('shows the fixed ones with all that their author said, then those of the templates', async () => {
    await using talk = await openServer({ resources, resourceTemplates })
    expect(await talk.client.request('resources/list', {})).toEqual({
      resources: [
        {
          uri: 'test://text',
          name: 'text',
          title: 'A text',
          description: 'A text.',
          mimeType: 'text/plain',
          size: 5,
          annotations: { priority: 0 },
          _meta: { ours: false },
        },
        { uri: 'test://bytes', name: 'bytes' },
        { uri: 'test://both', name: 'both' },
        { uri: 'test://broken', name: 'broken' },
        { uri: 'test://users/1', name: 'one', ours: true },
      ],
    })
    expect(await talk.client.request('resources/templates/list', {})).toEqual({
      resourceTemplates: [
        { uriTemplate: 'test://users/{id}', name: 'user', mimeType: 'application/json' },
      ],
    })
  })
})

describe('reading a resource', () => {
  test('gives a text as text, bytes as base64, contents as they are', async () => {
    await using talk = await openServer({ resources })
    const read = (uri: string) => talk.client.request('resources/read', { uri })
    expect(await read('test://text')).toEqual({
      contents: [{ uri: 'test://text', mimeType: 'text/plain', text: 'hello' }],
    })
    expect(await read('test://bytes')).toEqual({
      contents: [{ uri: 'test://bytes', blob: Buffer.from(bytes).toString('base64') }],
    })
    expect(await read('test://both')).toEqual({
      contents: [
        { uri: 'test://both', text: 'a' },
        { uri: 'other', text: 'b' },
      ],
    })
  })

  test('finds it by its template', async () => {
    await using talk = await openServer({ resources, resourceTemplates })
    expect(await talk.client.request('resources/read', { uri: 'test://users/a%20b' })).toEqual({
      contents: [{ uri: 'test://users/a%20b', mimeType: 'application/json', text: '{"id":"a b"}' }],
    })
  })

  test('that is not there is -32002 with its URI', async () => {
    await using talk = await openServer({ resources, resourceTemplates })
    for (const uri of ['test://none', 'test://users/nobody', 'test://users/%ff']) {
      await expect(talk.client.request('resources/read', { uri })).rejects.toMatchObject({
        number: -32002,
        message: `Resource not found: ${uri}`,
        data: { uri },
      })
    }
  })

  test('without a URI is the caller’s mistake', async () => {
    await using talk = await openServer({ resources })
    expect(await errorOf(talk.client.request('resources/read', {}))).toMatchInlineSnapshot(
      `"-32602 Invalid params: "uri" must be a string, received nothing"`,
    )
    for (const uri of ['__proto__', 'toString', '', 'test://users/%zz']) {
      expect(await errorOf(talk.client.request('resources/read', { uri }))).toBe(
        `-32602 Invalid params: "uri" must be a URI, received "${uri}"`,
      )
    }
  })

  test('that fails tells nothing of the inside', async () => {
    await using talk = await openServer({ resources })
    const answer = talk.client.request('resources/read', { uri: 'test://broken' })
    expect(await errorOf(answer)).toBe('-32603 Internal error')
  })
})

describe('a template of RFC 6570', () => {
  const match = (template: string, uri: string) => createTemplateMatcher([template])(uri)?.variables

  test('matches by each operator', () => {
    expect(match('/{a}/x/{b}', '/1/x/2')).toEqual({ a: '1', b: '2' })
    expect(match('/{a}', '/1/2')).toBeUndefined()
    expect(match('/files/{+path}', '/files/docs/readme.txt')).toEqual({ path: 'docs/readme.txt' })
    expect(match('/page{#part}', '/page#intro')).toEqual({ part: 'intro' })
    expect(match('/file{.type}', '/file.json')).toEqual({ type: 'json' })
    expect(match('/api{/version}/users', '/api/v1/users')).toEqual({ version: 'v1' })
    expect(match('/api{;version}', '/api;version=v1')).toEqual({ version: 'v1' })
    expect(match('/search{?q,limit}', '/search?q=test&limit=10')).toEqual({
      q: 'test',
      limit: '10',
    })
    expect(match('/search?type=user{&q}', '/search?type=user&q=john')).toEqual({ q: 'john' })
    expect(match('/name{x:3}', '/namelong')).toEqual({ x: 'lon' })
    expect(match('/tags{.tags*}', '/tags.red.green')).toEqual({ tags: 'red,green' })
  })

  test('decodes what is percent-encoded, and takes the literal parts literally', () => {
    expect(match('note://{title}', 'note://a%2Fb%20c%C3%A9')).toEqual({ title: 'a/b cé' })
    expect(match('a.b/{x}', 'aXb/1')).toBeUndefined()
    expect(match('(x)/{y}', '(x)/1')).toEqual({ y: '1' })
    expect(match('/{x}', '/%zz')).toBeUndefined()
  })

  test('that is none matches nothing, and is told; a server with one is not built', async () => {
    const invalid: string[] = []
    const find = createTemplateMatcher(['a{', 'b:{x}'], (template) => invalid.push(template))
    expect(find('b:1')?.template).toBe('b:{x}')
    expect(invalid).toEqual(['a{'])
    const parts = { resourceTemplates: { 'a{': { name: 'a', read: () => '' } } }
    await expect(openServer(parts)).rejects.toMatchInlineSnapshot(
      `[Error: Invalid template: a{ - Unclosed expression in template: a{]`,
    )
  })

  test('is never a reason to search for long', () => {
    const hostile = ['/{a}{b}{c}{d}{e}{f}/x', '/{+a}/{+b}/{+c}/{+d}/x', '{a*}{b*}{c*}x']
    for (const length of [100, 10_000]) {
      for (const template of hostile) {
        expect(match(template, `/${'a/'.repeat(length / 2)}`)).toBeUndefined()
      }
    }
  })

  test('of several, the one that fits is found', () => {
    const find = createTemplateMatcher(['a://{x}', 'b://{x}/{y}'])
    expect(find('b://1/2')).toEqual({ template: 'b://{x}/{y}', variables: { x: '1', y: '2' } })
    expect(find('c://1')).toBeUndefined()
    expect(createTemplateMatcher([])('a://1')).toBeUndefined()
  })
})

describe('a subscription', () => {
  function watched() {
    const watching = new Map<string, () => void>()
    const watch = (uri: string, changed: () => void) => {
      watching.set(uri, changed)
      return () => void watching.delete(uri)
    }
    const parts = {
      resources: { 'test://a': { name: 'a', watch, read: () => 'a' }, ...resources },
      resourceTemplates: { 'test://b/{id}': { name: 'b', watch, read: () => 'b' } },
    }
    return { watching, parts }
  }

  test('brings a notification for each change, until it is taken back', async () => {
    const { watching, parts } = watched()
    await using talk = await openServer(parts)
    const uri = 'test://a'
    expect(await talk.client.request('resources/subscribe', { uri })).toEqual({})
    await talk.client.request('resources/subscribe', { uri })
    await talk.client.request('resources/subscribe', { uri: 'test://b/1' })
    watching.get(uri)?.()
    watching.get('test://b/1')?.()
    expect(await talk.client.request('resources/unsubscribe', { uri })).toEqual({})
    expect(await talk.client.request('resources/unsubscribe', { uri: 'test://none' })).toEqual({})
    expect([...watching.keys()]).toEqual(['test://b/1'])
    expect(talk.fromServer.filter((message) => 'method' in message)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'test://b/1' } },
    ])
  })

  test('ends with its session, and with no other', async () => {
    const { watching, parts } = watched()
    const talk = await openServer(parts)
    await talk.client.request('resources/subscribe', { uri: 'test://a' })
    await talk.client.request('resources/subscribe', { uri: 'test://b/1' })
    await talk.client.close()
    expect(watching.size).toBe(0)
  })

  test('that arrives as its session ends is not begun', async () => {
    const { watching, parts } = watched()
    const talk = await openServer(parts)
    const answer = talk.client.request('resources/subscribe', { uri: 'test://a' })
    await talk.client.close()
    await expect(answer).rejects.toThrow('connection closed')
    await settle()
    expect(watching.size).toBe(0)
  })

  test('says who subscribed, so that each is told of their own', async () => {
    const subscribers: unknown[] = []
    const watch = (uri: string, _changed: () => void, { principal, session }: ToolContext) => {
      subscribers.push([uri, principal.id, session.peer?.info.name])
      return () => {}
    }
    await using talk = await openServer({
      resources: { 'test://a': { name: 'a', watch, read: () => 'a' } },
    })
    await talk.client.request('resources/subscribe', { uri: 'test://a' })
    expect(subscribers).toEqual([['test://a', 'local', 'client']])
  })

  test('is granted for what never changes, and refused for what is not there', async () => {
    const { parts } = watched()
    await using talk = await openServer(parts)
    const subscribe = (uri: string) => talk.client.request('resources/subscribe', { uri })
    expect(await subscribe('test://text')).toEqual({})
    expect(await errorOf(subscribe('test://none'))).toBe('-32002 Resource not found: test://none')
  })
})
