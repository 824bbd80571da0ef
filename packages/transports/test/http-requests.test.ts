import { connect, type HttpOptions } from '@mobius-mcp/transports'
import { describe, expect, test } from 'vitest'
import { openHttpServer, withHandshake } from './http-server.ts'
import { failure, failureOf, openHttp } from './support.ts'

describe('a refusal', () => {
  async function refusalOf(
    status: number,
    body: string,
    headers: Record<string, string>,
    options: Partial<HttpOptions> = {},
  ) {
    await using server = await openHttpServer((_, response) => {
      response.writeHead(status, headers).end(body)
    })
    await using client = await openHttp(server.url, options)
    const error = await failureOf(client.request('tools/call'))
    const { cause, message } = error
    return { ...error, cause, message: message.replace(server.url, 'URL') }
  }

  test('401 names status, text and challenge', async () => {
    const challenge = 'Bearer resource_metadata="https://auth.example/x"'
    const error = await refusalOf(401, '{"error":"invalid_token"}', {
      'www-authenticate': challenge,
    })
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', cause: { status: 401, challenge } })
    expect(error.message).toMatchInlineSnapshot(
      `"tools/call: URL answered HTTP 401: {"error":"invalid_token"}: it wants to know who calls; configure a header or sign in"`,
    )
  })

  test('a page is shown as its text, cut', async () => {
    const page = `<html><style>x{}</style><title>413 Too Large</title><body>${'long '.repeat(500)}</body>`
    const { message } = await refusalOf(413, page, { 'content-type': 'text/html' })
    expect(message.length).toBeLessThan(260)
    expect(message).toMatch(/^tools\/call: URL answered HTTP 413: 413 Too Large long long/)
  })

  test('is shown without control characters and without our own headers', async () => {
    const token = 'tok-123456789'
    const body = `bad \u001b[31mtoken\u0007 ${token} \u202Ehere`
    const { message } = await refusalOf(
      403,
      body,
      {},
      { headers: { Authorization: `Bearer ${token}` } },
    )
    expect(message).toMatchInlineSnapshot(
      `"tools/call: URL answered HTTP 403: bad token [Authorization] here: what it was given does not suffice"`,
    )
  })

  test('a redirect to another origin is not followed and named', async () => {
    await using elsewhere = await openHttpServer(() => {})
    const { message } = await refusalOf(307, '', { location: `${elsewhere.url}?x=1` })
    expect(message).toContain('not followed')
    expect(elsewhere.received).toEqual([])
  })
})

describe('headers of the options', () => {
  test('go to the server, and never elsewhere', async () => {
    await using server = await openHttpServer(withHandshake({}))
    await using client = await openHttp(server.url, {
      headers: { 'X-Api-Key': 'k-123456', Accept: 'x/y' },
    })
    await client.request('echo')
    expect(server.received[0]?.headers).toMatchObject({
      'x-api-key': 'k-123456',
      accept: 'application/json, text/event-stream',
    })
  })

  test('that cannot be sent are refused without showing their value', async () => {
    const options = {
      type: 'http',
      url: 'http://localhost/',
      headers: { 'X-Key': 'a\nsecret' },
    } as const
    expect(await failure(connect(options))).toMatchInlineSnapshot(
      `"The server's options cannot work: the header "X-Key" has an invalid name or value"`,
    )
  })

  test('are where credentials belong, not the URL', async () => {
    expect(
      await failure(connect({ type: 'http', url: 'https://me:pass@host/' })),
    ).toMatchInlineSnapshot(
      `"The server's options cannot work: the URL must not hold a user name or password; use headers"`,
    )
    expect(
      await failure(connect({ type: 'http', url: 'file:///etc/passwd' })),
    ).toMatchInlineSnapshot(
      `"The server's options cannot work: the URL must be http or https; received file:"`,
    )
    expect(await failure(connect({ type: 'http', url: 'not a url' }))).toMatchInlineSnapshot(
      `"The server's options cannot work: the URL cannot be read; expected http(s)://…"`,
    )
  })
})

test('a request is not subject to the limits on silence of the global fetch', async () => {
  const key = Symbol.for('undici.globalDispatcher.1')
  void globalThis.Response
  const holder = globalThis as unknown as Record<
    symbol,
    { dispatch(o: object, h: object): boolean }
  >
  const original = holder[key]
  const seen: object[] = []
  if (!original) throw new Error('Node keeps its dispatcher elsewhere now: see own-fetch.ts')
  holder[key] = {
    dispatch(options, handler) {
      seen.push(options)
      return original.dispatch(options, handler)
    },
  }
  try {
    await using server = await openHttpServer(withHandshake({}))
    await using client = await openHttp(server.url)
    await client.request('echo')
    expect(seen).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }])
  } finally {
    holder[key] = original
  }
})
