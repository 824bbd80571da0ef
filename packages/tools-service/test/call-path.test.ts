import { ProtocolError } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { createGateway, errorOf } from './support/gateway.ts'
import { answerTools, serveUpstream, text } from './support/upstream.ts'

const echo = () =>
  serveUpstream(
    answerTools({
      echo: (params) => ({ content: [], params }),
      wrong: () => {
        throw new ProtocolError({ code: 4242, message: 'Not like this', data: { field: 'x' } })
      },
      failing: () => ({ ...text('It failed'), isError: true }),
      odd: () => ({
        content: [{ type: 'hologram', depth: null, 'x-kept': false }],
        structuredContent: { ok: false, nothing: null },
        'x-unknown': [null, false, 0, ''],
        _meta: { kept: null },
      }),
    }),
  )

describe('a call', () => {
  test('goes to the server that its name stands for, under its own name', async () => {
    const upstream = echo()
    await using gateway = createGateway({ upstreams: { one: upstream, two: echo() } })
    const client = await gateway.client()
    const result = await client.call('one__echo', { a: 1 })
    expect(result.params).toMatchObject({ name: 'echo', arguments: { a: 1 } })
  })

  test('without arguments arrives without arguments', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const client = await gateway.client()
    const result = await client.session.request('tools/call', { name: 'one__echo' })
    expect(Object.keys(result.params as object)).toEqual(['name', '_meta'])
  })

  test('without a name says so', async () => {
    await using gateway = createGateway({ upstreams: { one: echo() } })
    const client = await gateway.client()
    expect(await errorOf(client.session.request('tools/call', {}))).toMatchInlineSnapshot(`"-32602 Invalid params: "name" must be a string, received nothing"`)
    expect(await errorOf(client.session.request('tools/call', { name: 7 }))).toMatchInlineSnapshot(`"-32602 Invalid params: "name" must be a string, received 7"`)
  })
})
