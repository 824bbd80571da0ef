import { type JsonObject, ProtocolError } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, errorOf } from './support/gateway.ts'
import { settle } from './support/settle.ts'
import { type Answer, answer, serveUpstream } from './support/upstream.ts'

interface Offer {
  resources?: string[]
  templates?: string[]
  /** What can be read beside what is listed. */
  hidden?: string[]
  more?: Record<string, Answer>
}

function upstream(name: string, { resources = [], templates = [], hidden = [], more }: Offer) {
  const known = [...resources, ...hidden]
  return serveUpstream(
    answer({
      'resources/list': () => ({ resources: resources.map((uri) => ({ uri, name, 'x-y': null })) }),
      'resources/templates/list': () => ({
        resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name })),
      }),
      'resources/read': ({ uri }) => {
        const schemes = templates.map((template) => template.slice(0, 4))
        if (known.includes(String(uri)) || schemes.includes(String(uri).slice(0, 4))) {
          return { contents: [{ uri, text: `${String(uri)} of ${name}` }, { uri: 'x://part' }] }
        }
        throw new ProtocolError('RESOURCE_NOT_FOUND', `Not at ${name}: ${String(uri)}`)
      },
      'resources/subscribe': () => ({}),
      'resources/unsubscribe': () => ({}),
      ...more,
    }),
  )
}

describe('a resource', () => {
  test('is listed and read under its own URI, whatever its scheme', async () => {
    const uris = ['file:///a b', 'ui://app/main', 'urn:isbn:1', 'x:opaque']
    await using gateway = createGateway({
      upstreams: { one: upstream('one', { resources: uris }) },
    })
    const client = await gateway.client()
    expect(await client.names('resources')).toEqual(uris)
    for (const uri of uris) {
      expect(await client.session.request('resources/read', { uri })).toEqual({
        contents: [{ uri, text: `${uri} of one` }, { uri: 'x://part' }],
      })
    }
    expect(gateway.events.map(({ name }) => name)).toEqual(uris)
  })

  test('that two servers have is wrapped for the second, and read in that form', async () => {
    await using gateway = createGateway({
      upstreams: {
        one: upstream('one', { resources: ['x://1'] }),
        'the/other': upstream('other', { resources: ['x://1'] }),
      },
    })
    const client = await gateway.client()
    const wrapped = 'mobius:///the%2Fother/x%3A%2F%2F1'
    expect(await client.list('resources')).toEqual([
      { uri: 'x://1', name: 'one', 'x-y': null },
      { uri: wrapped, name: 'other', 'x-y': null },
    ])
    const read = async (uri: string) =>
      (await client.session.request('resources/read', { uri })).contents
    expect(await read('x://1')).toMatchObject([{ uri: 'x://1', text: 'x://1 of one' }, {}])
    expect(await read(wrapped)).toEqual([
      { uri: wrapped, text: 'x://1 of other' },
      { uri: 'x://part' },
    ])
    expect(gateway.logs).toMatchInlineSnapshot(`
      [
        ": the/other/x://1 cannot be named x://1, which is taken: it is shown as mobius:///the%2Fother/x%3A%2F%2F1",
      ]
    `)
  })

  test('is found by the template that it follows', async () => {
    const one = upstream('one', { templates: ['x://{id}'] })
    const two = upstream('two', { templates: ['y://{+path}'] })
    await using gateway = createGateway({ upstreams: { one, two } })
    const client = await gateway.client()
    expect(await client.names('resourceTemplates')).toEqual(['x://{id}', 'y://{+path}'])
    await client.session.request('resources/read', { uri: 'y://a/b/c' })
    expect(one.received('resources/read')).toEqual([])
    expect(two.received('resources/read')).toMatchObject([{ uri: 'y://a/b/c' }])
  })

  test('of a template that two servers have is found in the wrapped form, too', async () => {
    await using gateway = createGateway({
      upstreams: {
        one: upstream('one', { templates: ['x://{id}', 'y://{+path}'] }),
        two: upstream('two', { templates: ['x://{id}', 'y://{+path}'] }),
      },
    })
    const client = await gateway.client()
    expect(await client.names('resourceTemplates')).toEqual([
      'x://{id}',
      'y://{+path}',
      'mobius:///two/x://{id}',
      'mobius:///two/y://{+path}',
    ])
    for (const own of ['x://a%2Fb%20c', 'y://a/b?c#d']) {
      const uri = `mobius:///two/${own}`
      const { contents } = await client.session.request('resources/read', { uri })
      expect(contents).toMatchObject([{ uri, text: `${own} of two` }, {}])
    }
  })

  test('that nobody lists is asked for all around, in order', async () => {
    const first = upstream('first', { resources: ['x://1'] })
    const second = upstream('second', { hidden: ['x://linked'] })
    const third = upstream('third', {})
    await using gateway = createGateway({ upstreams: { first, second, third } })
    const client = await gateway.client()
    const { contents } = await client.session.request('resources/read', { uri: 'x://linked' })
    expect(contents).toMatchObject([{ text: 'x://linked of second' }, {}])
    expect(third.received('resources/read')).toEqual([])
  })

  test('that nobody has is not found, in the words of the last who was asked', async () => {
    await using gateway = createGateway({
      upstreams: { one: upstream('one', { resources: ['x://1'] }), two: upstream('two', {}) },
    })
    const client = await gateway.client()
    const read = (uri: string) => errorOf(client.session.request('resources/read', { uri }))
    expect(await read('x://none')).toBe('-32002 Not at two: x://none')
  })

  test('that nobody can have is not found', async () => {
    await using gateway = createGateway()
    const client = await gateway.client()
    for (const uri of ['mobius:///', 'mobius:///one', 'mobius:///one/', 'mobius:///%/x%3A', '']) {
      expect(await errorOf(client.session.request('resources/read', { uri }))).toBe(
        `-32002 Resource not found: ${uri}`,
      )
    }
    expect(await errorOf(client.session.request('resources/read', {}))).toMatchInlineSnapshot(
      `"-32602 Invalid params: "uri" must be a string, received nothing"`,
    )
  })

  test('whose server fails is that server’s error, not “not found”', async () => {
    const broken = upstream('broken', {
      more: {
        'resources/read': () => {
          throw new ProtocolError({ code: -32603, message: 'disk full' })
        },
      },
    })
    await using gateway = createGateway({
      upstreams: { broken, two: upstream('two', { hidden: ['x://1'] }) },
    })
    const client = await gateway.client()
    expect(await errorOf(client.session.request('resources/read', { uri: 'x://1' }))).toBe(
      '-32603 disk full',
    )
  })
})

describe('a view', () => {
  const servers = () => ({
    one: upstream('one', { resources: ['x://1', 'x://secret'], templates: ['x://{id}'] }),
    two: upstream('two', { resources: ['y://1'], hidden: ['y://hidden'] }),
  })
  const read = async (refs: string[], uri: string) => {
    await using gateway = createGateway({ upstreams: servers(), view: { refs } })
    const client = await gateway.client()
    return await errorOf(client.session.request('resources/read', { uri }))
  }

  test.each([
    { refs: ['*'], uri: 'mobius:///two/y%3A%2F%2F1', found: true },
    { refs: ['one'], uri: 'y://1', found: 'one' },
    { refs: ['one'], uri: 'mobius:///two/y%3A%2F%2F1', found: 'one' },
    { refs: ['one'], uri: 'mobius:///two/y://1', found: 'one' },
    { refs: ['*', '!one/x://secret'], uri: 'x://secret', found: 'two' },
    { refs: ['*', '!one/x://secret'], uri: 'mobius:///one/x%3A%2F%2Fsecret', found: 'two' },
    { refs: ['one/x://1'], uri: 'x://2', found: false },
    { refs: ['one/x://{id}'], uri: 'x://2', found: true },
    { refs: ['two/*'], uri: 'y://hidden', found: true },
    { refs: ['two/some-tool'], uri: 'y://hidden', found: false },
  ])('of $refs for $uri: $found', async ({ refs, uri, found }) => {
    const missing =
      found === false ? `Resource not found: ${uri}` : `Not at ${String(found)}: ${uri}`
    expect(await read(refs, uri)).toBe(found === true ? 'no error' : `-32002 ${missing}`)
  })
})

describe('a subscription', () => {
  const updated = 'notifications/resources/updated'

  test('brings news under the URI that was subscribed to, with all that is said', async () => {
    const one = upstream('one', { resources: ['x://1'] })
    const two = upstream('two', { resources: ['x://1'] })
    await using gateway = createGateway({ upstreams: { one, two } })
    const client = await gateway.client()
    const wrapped = 'mobius:///two/x%3A%2F%2F1'
    await client.session.request('resources/subscribe', { uri: 'x://1' })
    await client.session.request('resources/subscribe', { uri: wrapped })
    await two.say({ method: updated, params: { uri: 'x://1', 'x-y': null } })
    await one.say({ method: updated, params: { uri: 'x://1' } })
    await one.say({ method: updated, params: { uri: 'x://other' } })
    expect(client.received(updated)).toEqual([{ uri: wrapped, 'x-y': null }, { uri: 'x://1' }])
  })

  test('ends when it is ended', async () => {
    const one = upstream('one', { resources: ['x://1'] })
    await using gateway = createGateway({ upstreams: { one } })
    const client = await gateway.client()
    await client.session.request('resources/subscribe', { uri: 'x://1' })
    await client.session.request('resources/unsubscribe', { uri: 'x://1' })
    await one.say({ method: updated, params: { uri: 'x://1' } })
    expect(client.received(updated)).toEqual([])
    expect(one.received('resources/unsubscribe')).toHaveLength(1)
  })

  test('on a shared connection ends with its last subscriber, and tells nobody else', async () => {
    const one = upstream('one', { resources: ['x://1', 'x://2'] })
    await using gateway = createGateway({ upstreams: { one: [one, { sharing: 'process' }] } })
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => gateway.client()))
    if (!(first && second && third)) throw new Error('three clients')
    for (const client of [first, second]) {
      await client.session.request('resources/subscribe', { uri: 'x://1' })
    }
    await third.session.request('resources/subscribe', { uri: 'x://2' })
    await one.say({ method: updated, params: { uri: 'x://1' } })
    const told = () => [first, second, third].map((client) => client.received(updated).length)
    expect(told()).toEqual([1, 1, 0])
    await first.session.request('resources/unsubscribe', { uri: 'x://1' })
    expect(one.received('resources/unsubscribe')).toEqual([])
    await one.say({ method: updated, params: { uri: 'x://1' } })
    expect(told()).toEqual([1, 2, 0])
    await second.session.request('resources/unsubscribe', { uri: 'x://1' })
    expect(one.received('resources/unsubscribe')).toMatchObject([{ uri: 'x://1' }])
  })

  test('to what only a template names is possible', async () => {
    const one = upstream('one', { templates: ['x://{id}'] })
    const two = upstream('two', {})
    await using gateway = createGateway({ upstreams: { one, two } })
    const client = await gateway.client()
    await client.session.request('resources/subscribe', { uri: 'x://7' })
    await one.say({ method: updated, params: { uri: 'x://7' } })
    expect(client.received(updated)).toEqual([{ uri: 'x://7' }])
  })

  test('to what nobody names goes to the only server there is, else nowhere', async () => {
    const one = upstream('one', {})
    await using gateway = createGateway({ upstreams: { one } })
    const client = await gateway.client()
    await client.session.request('resources/subscribe', { uri: 'x://7' })
    await client.session.request('resources/unsubscribe', { uri: 'x://7' })
    expect(one.received('resources/subscribe')).toMatchObject([{ uri: 'x://7' }])
    expect(one.received('resources/unsubscribe')).toMatchObject([{ uri: 'x://7' }])
    await using several = createGateway({ upstreams: { one, two: upstream('two', {}) } })
    const other = await several.client()
    expect(await errorOf(other.session.request('resources/subscribe', { uri: 'x://7' }))).toBe(
      '-32002 Resource not found: x://7',
    )
  })
})

describe('completion', () => {
  const completing = (name: string) =>
    upstream(name, {
      templates: ['x://{id}'],
      more: {
        'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
        'completion/complete': (params) => ({
          completion: { values: [name], 'x-y': null },
          params,
        }),
      },
    })
  const argument = { name: 'id', value: 'a' }

  test('goes to the server of the prompt or template, under its own name', async () => {
    await using gateway = createGateway({
      upstreams: { one: completing('one'), two: completing('two') },
    })
    const { session } = await gateway.client()
    const complete = (ref: JsonObject) =>
      session.request('completion/complete', { ref, argument, context: { arguments: {} } })
    expect(await complete({ type: 'ref/prompt', name: 'two__greet', title: null })).toMatchObject({
      completion: { values: ['two'], 'x-y': null },
      params: { ref: { type: 'ref/prompt', name: 'greet', title: null }, argument, context: {} },
    })
    expect(await complete({ type: 'ref/resource', uri: 'mobius:///two/x://{id}' })).toMatchObject({
      completion: { values: ['two'] },
      params: { ref: { type: 'ref/resource', uri: 'x://{id}' } },
    })
    expect(await complete({ type: 'ref/resource', uri: 'x://{id}' })).toMatchObject({
      completion: { values: ['one'] },
    })
    expect(gateway.events.map(({ server, name }) => `${server} ${name}`)).toEqual([
      'two greet',
      'two x://{id}',
      'one x://{id}',
    ])
  })

  test('for what is not there says so', async () => {
    await using gateway = createGateway({ upstreams: { one: completing('one') } })
    const { session } = await gateway.client()
    const complete = (ref: unknown) =>
      errorOf(session.request('completion/complete', { ref, argument }))
    expect([
      await complete({ type: 'ref/prompt', name: 'nobody' }),
      await complete({ type: 'ref/resource', uri: 'z://{id}' }),
      await complete({ type: 'ref/other' }),
      await complete(undefined),
    ]).toMatchInlineSnapshot(`
      [
        "-32602 Unknown prompt: nobody",
        "-32602 Unknown resource template: z://{id}",
        "-32602 Invalid params: "ref" must be a prompt or resource reference, received {"type":"ref/other"}",
        "-32602 Invalid params: "ref" must be a prompt or resource reference, received nothing",
      ]
    `)
  })
})

test('a subscription outlives nothing that ended it', async () => {
  const one = upstream('one', { resources: ['x://1'] })
  await using gateway = createGateway({ upstreams: { one } })
  const client = await gateway.client()
  await client.session.request('resources/subscribe', { uri: 'x://1' })
  await client.session.close()
  await settle()
  await gateway.clock.advance(60_000)
  expect(one.open).toBe(0)
  expect(one.attempts).toBe(1)
})
