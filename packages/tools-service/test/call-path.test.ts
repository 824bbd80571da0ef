import { ProtocolError } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, errorOf } from './support/gateway.ts'
import { answerTools, describeTool, serveUpstream, text } from './support/upstream.ts'

const odd = {
  content: [{ type: 'hologram', depth: null, 'x-kept': false }],
  structuredContent: { ok: false, nothing: null },
  'x-unknown': [null, false, 0, ''],
  _meta: { kept: null },
}

const echo = () =>
  serveUpstream(
    answerTools({
      echo: (params) => ({ content: [], params }),
      wrong: () => {
        throw new ProtocolError({ code: 4242, message: 'Not like this', data: { field: null } })
      },
      failing: () => ({ ...text('It failed'), isError: true }),
      odd: () => odd,
    }),
  )

describe('a call', () => {
  test('goes to the server that its name stands for, under its own name', async () => {
    await using gateway = createGateway({ upstreams: { one: echo(), two: echo() } })
    const client = await gateway.client()
    const result = await client.call('one__echo', { a: 1 })
    expect(result.params).toMatchObject({ name: 'echo', arguments: { a: 1 } })
    expect(gateway.events).toMatchObject([{ server: 'one', name: 'echo' }])
  })

  test('without arguments arrives without arguments', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const client = await gateway.client()
    const result = await client.session.request('tools/call', { name: 'one__echo' })
    expect(Object.keys(result.params as object)).toEqual(['name', '_meta'])
  })

  test('without a name says what it wants', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const { session } = await gateway.client()
    expect(await errorOf(session.request('tools/call', {}))).toMatchInlineSnapshot(
      `"-32602 Invalid params: "name" must be a string, received nothing"`,
    )
    expect(await errorOf(session.request('tools/call', { name: 7 }))).toMatchInlineSnapshot(
      `"-32602 Invalid params: "name" must be a string, received 7"`,
    )
  })

  test('keeps what no schema knows, false and null too', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const client = await gateway.client()
    expect(await client.call('one__odd')).toEqual(odd)
    const params = { name: 'one__echo', arguments: { no: null }, 'x-extra': { off: false } }
    const result = await client.session.request('tools/call', params)
    expect(result.params).toMatchObject({ arguments: { no: null }, 'x-extra': { off: false } })
  })

  test('keeps an argument called __proto__, and nothing is made of it', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const { session } = await gateway.client()
    const json = '{"name":"one__echo","arguments":{"__proto__":{"x":1}},"__proto__":{"y":2}}'
    const { params } = await session.request('tools/call', JSON.parse(json))
    expect(JSON.stringify(params)).toContain('"arguments":{"__proto__":{"x":1}}')
    expect(JSON.stringify(params)).toContain('"__proto__":{"y":2}')
    expect(params).not.toHaveProperty('y')
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(await errorOf(session.request('tools/call', { name }))).toBe(
        `-32602 Unknown tool: ${name}`,
      )
    }
  })

  test('that is answered with an error gets its code, message and data', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const client = await gateway.client()
    await expect(client.call('one__wrong')).rejects.toMatchObject({
      number: 4242,
      message: 'Not like this',
      data: { field: null },
    })
  })

  test('whose tool fails gets a result that says so', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const client = await gateway.client()
    expect(await client.call('one__failing')).toEqual({ ...text('It failed'), isError: true })
  })

  test('passes its _meta on, but for what belongs to the connection', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const client = await gateway.client()
    const _meta = { trace: '00-1', none: null, progressToken: 'mine', 'mobius-mcp.dev/hops': [] }
    const params = { name: 'one__echo', _meta }
    const result = (await client.session.request('tools/call', params)) as {
      params: { _meta: Record<string, unknown> }
    }
    const { progressToken, 'mobius-mcp.dev/hops': hops, ...rest } = result.params._meta
    expect(rest).toEqual({ trace: '00-1', none: null })
    expect(progressToken).toBeTypeOf('number')
    expect(hops).toEqual([expect.any(String)])
  })
})

test('a call waits for no server but its own', async () => {
  const stuck = echo()
  stuck.stuck = true
  await using gateway = createGateway({ upstreams: { stuck, one: echo() } })
  for (let round = 0; round < 3; round++) {
    const client = await gateway.client()
    expect(await client.text('one__failing')).toBe('failed: It failed')
  }
})

describe('an unknown name', () => {
  test('connects to every server and lists once more before it is refused', async () => {
    const tools = [describeTool('old')]
    const upstream = serveUpstream(
      answerTools({ late: () => text('found') }, { 'tools/list': () => ({ tools }) }),
    )
    await using gateway = createGateway({ upstreams: { one: upstream, two: echo() } })
    const first = await gateway.client()
    expect(await first.names()).toContain('one__old')
    tools.push(describeTool('late'))
    const second = await gateway.client()
    expect(await second.text('one__late')).toBe('found')
    expect(upstream.attempts).toBe(2)
    const lists = upstream.received('tools/list').length
    expect(await second.text('one__nothing')).toBe('-32602 Unknown tool: one__nothing')
    expect(upstream.received('tools/list')).toHaveLength(lists + 1)
  })

  test('is found on a connected server that did not say that its list had changed', async () => {
    const tools = [describeTool('old')]
    const upstream = serveUpstream(
      answerTools(
        { old: () => text('old'), late: () => text('found') },
        { 'tools/list': () => ({ tools }) },
      ),
    )
    await using gateway = createGateway({ upstreams: { one: upstream } })
    const client = await gateway.client()
    expect(await client.text('one__old')).toBe('old')
    tools.push(describeTool('late'))
    expect(await client.text('one__late')).toBe('found')
    expect(await client.names()).toEqual(['one__old', 'one__late'])
  })

  test('names the servers that could not be asked', async () => {
    const down = echo()
    down.failure = new Error('spawn nothing ENOENT')
    await using gateway = createGateway({ upstreams: { one: echo(), down } })
    const client = await gateway.client()
    expect(await gateway.during(1000, client.text('down__echo'))).toMatchInlineSnapshot(
      `"-32602 Unknown tool: down__echo. Not asked, because they are not available: down (spawn nothing ENOENT)"`,
    )
  })

  test('names a server that is only remembered and does not start now', async () => {
    const upstream = echo()
    await using gateway = createGateway({ upstreams: { one: upstream } })
    await (await gateway.client()).names()
    upstream.failure = new Error('no route to host')
    const client = await gateway.client()
    expect(await client.text('one__new')).toMatchInlineSnapshot(
      `"-32602 Unknown tool: one__new. Not asked, because they are not available: one (no route to host)"`,
    )
    await gateway.clock.advance(1000)
    expect(await client.text('one__echo')).toMatchInlineSnapshot(
      `"-32005 Server "one" is not available: no route to host"`,
    )
  })

  test('of a method is -32601', async () => {
    await using gateway = createGateway()
    const { session } = await gateway.client()
    expect(await errorOf(session.request('tools/dance', {}))).toMatchInlineSnapshot(
      `"-32601 Method not found: tools/dance"`,
    )
  })
})
