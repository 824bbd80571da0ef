import { expect, test } from 'vitest'
import { createTestHost, initializeMessage, json, send, TestClient } from './test-client.ts'

const echo = { echo: () => ({ content: [] }) }

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON;charset="utf-8"',
])('JSON is taken whatever its parameters: %s', async (type) => {
  const { host } = createTestHost()
  const response = await send(host, 'POST', { 'content-type': type }, initializeMessage())
  expect(response.status).toBe(200)
})

test.each([
  'application/jsonp',
  'application/json-seq',
  'text/plain',
  'text/plain; a=application/json',
  'application/x-www-form-urlencoded',
])('what is not JSON is refused with 415: %s', async (type) => {
  const { host } = createTestHost()
  const response = await send(host, 'POST', { 'content-type': type }, initializeMessage())

  expect(response.status).toBe(415)
  expect(await json(response)).toMatchObject({ error: { code: -32600 } })
})

test.each([
  [undefined, 200],
  ['*/*', 200],
  ['application/*, text/*', 200],
  ['text/event-stream, application/json;q=0.9', 200],
  ['application/json', 406],
  ['text/event-stream', 406],
  ['text/html', 406],
])('a POST that accepts %s is answered with %i', async (accept, status) => {
  const { host } = createTestHost()
  const response = await send(host, 'POST', { accept }, initializeMessage())
  expect(response.status).toBe(status)
})

test.each([
  [undefined, 200],
  ['*/*', 200],
  ['text/event-stream', 200],
  ['application/json', 406],
  ['text/html,application/xhtml+xml', 406],
])('a GET that accepts %s is answered with %i', async (accept, status) => {
  const { host } = createTestHost()
  const client = await TestClient.open(host)
  expect((await client.listen({ accept })).status).toBe(status)
})

test('other methods are refused with those that are taken', async () => {
  const { host } = createTestHost()

  for (const method of ['PUT', 'PATCH', 'HEAD']) {
    const response = await send(host, method)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, POST, DELETE, OPTIONS')
  }
})

test('text that is not JSON is 400 and -32700', async () => {
  const { host } = createTestHost()

  for (const text of ['{"jsonrpc":', '', 'null,', '[1']) {
    const response = await send(host, 'POST', {}, text)
    expect([text, response.status]).toEqual([text, 400])
    expect(await json(response)).toMatchObject({ error: { code: -32700 } })
  }
})

test('JSON that is no message is 400 and -32600, with its id where there is one', async () => {
  const { host } = createTestHost()
  const statuses = []
  for (const body of [
    {},
    null,
    { jsonrpc: '1.0', id: 1, method: 'x' },
    { jsonrpc: '2.0', id: null, method: 'x' },
    { jsonrpc: '2.0', id: 1.5, method: 'x' },
    { jsonrpc: '2.0', id: 'k', method: 7 },
    { jsonrpc: '2.0', id: 'k', method: 'x', params: [] },
  ]) {
    const response = await send(host, 'POST', {}, JSON.stringify(body))
    const answer = await json(response)
    statuses.push([response.status, (answer.error as { code: number }).code, answer.id])
  }

  expect(statuses).toEqual([
    [400, -32600, undefined],
    [400, -32600, undefined],
    [400, -32600, 1],
    [400, -32600, undefined],
    [400, -32600, undefined],
    [400, -32600, 'k'],
    [400, -32600, 'k'],
  ])
})

test('a batch is refused, and told why', async () => {
  const { host } = createTestHost()

  const response = await send(host, 'POST', {}, [initializeMessage()])

  expect(response.status).toBe(400)
  expect(await json(response)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": -32600,
        "message": "Expected one JSON-RPC message, received a batch. MCP removed batches in revision 2025-06-18: send each message in a POST of its own.",
      },
      "jsonrpc": "2.0",
    }
  `)
})

test('a body exactly at the limit passes, one byte more is 413 with the limit in the message', async () => {
  const body = JSON.stringify(initializeMessage())
  const { host } = createTestHost({}, { maxBodyBytes: body.length })

  for (const headers of [{}, { 'content-length': String(body.length) }]) {
    expect((await send(host, 'POST', headers, body)).status).toBe(200)
  }
  for (const headers of [{}, { 'content-length': String(body.length + 1) }]) {
    const response = await send(host, 'POST', headers, `${body} `)
    expect(response.status).toBe(413)
    expect(await json(response)).toEqual({
      jsonrpc: '2.0',
      error: {
        code: -32600,
        message: `The body is larger than ${body.length} bytes, the limit set by http.maxBodyBytes. Send less, or have the limit raised.`,
      },
    })
  }
})

test('by default a body of 4 MiB passes', async () => {
  const { host } = createTestHost()
  const message = { ...initializeMessage(), padding: '' }
  message.padding = 'x'.repeat(4 * 1024 * 1024 - JSON.stringify(message).length)

  expect((await send(host, 'POST', {}, JSON.stringify(message))).status).toBe(200)
  expect((await send(host, 'POST', {}, `${JSON.stringify(message)} `)).status).toBe(413)
})

test('text of any kind arrives as it was sent', async () => {
  const { host } = createTestHost({ echo: (_, params) => ({ args: params.arguments }) })
  const client = await TestClient.open(host)
  const args = {
    text: '𝄞 \u2028 \u0000 \ud83d\ude80',
    __proto__: undefined,
    nothing: null,
    no: false,
  }

  expect(await json(await client.call('echo', args))).toMatchObject({
    result: { args: { text: args.text, nothing: null, no: false } },
  })
})

test('a revision that is not spoken is refused in the header, one that is passes', async () => {
  const { host } = createTestHost(echo)
  const client = await TestClient.open(host)
  const call = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const statuses = []
  for (const version of ['2025-11-25', '2024-11-05', '1999-01-01', 'latest']) {
    const headers = { 'mcp-protocol-version': version }
    statuses.push((await client.post(call, headers)).status)
    const listening = await client.listen(headers)
    statuses.push(listening.status)
    await listening.body?.cancel()
  }

  expect(statuses).toEqual([200, 200, 200, 200, 400, 400, 400, 400])
})

test('a request of the modern era learns which revisions are spoken, before anything else', async () => {
  const { host } = createTestHost()
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const discover = { jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta } }

  const byBody = await send(host, 'POST', { accept: 'application/json' }, discover)
  const byHeader = await send(
    host,
    'POST',
    { 'mcp-protocol-version': '2027-01-01', 'mcp-session-id': 'ignored' },
    { jsonrpc: '2.0', id: 3, method: 'tools/list' },
  )

  expect(byBody.status).toBe(400)
  expect(await json(byBody)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": -32022,
        "data": {
          "requested": "2026-07-28",
          "supported": [
            "2025-11-25",
            "2025-06-18",
            "2025-03-26",
            "2024-11-05",
            "2024-10-07",
          ],
        },
        "message": "MCP revision 2026-07-28 is not spoken here. Supported: 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07. Begin with "initialize".",
      },
      "id": "d",
      "jsonrpc": "2.0",
    }
  `)
  expect(byHeader.status).toBe(400)
  expect(await json(byHeader)).toMatchObject({
    id: 3,
    error: { code: -32022, data: { requested: '2027-01-01' } },
  })
  expect((await send(host, 'GET', { 'mcp-protocol-version': '2026-07-28' })).status).toBe(400)
})

test('a handshake that offers the modern revision is negotiated down', async () => {
  const { host } = createTestHost()

  const response = await send(host, 'POST', {}, initializeMessage('2026-07-28'))

  expect(await json(response)).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
})
