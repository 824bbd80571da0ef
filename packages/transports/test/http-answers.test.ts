import { describe, expect, test } from 'vitest'
import {
  answer,
  event,
  json,
  openEvents,
  openHttpServer,
  progress,
  withHandshake,
} from './http-server.ts'
import { failure, failureOf, openHttp, openInitialized, until } from './support.ts'

describe('answers', () => {
  test('come as JSON or as a stream, with whatever members they have', async () => {
    const odd = '{"__proto__":{"a":1},"x":[null,false,0],"big":"\\u2028"}'
    await using server = await openHttpServer((received, response) => {
      const text = `{"jsonrpc":"2.0","extra":1,"id":${received.message.id},"result":${odd}}`
      if (received.message.method === 'json') {
        response.writeHead(200, { 'content-type': 'Application/JSON ; charset=utf-8' }).end(text)
      } else openEvents(response).end(`data: ${text}\n\n`)
    })
    await using client = await openHttp(server.url)
    expect(JSON.stringify(await client.request('json'))).toBe(JSON.stringify(JSON.parse(odd)))
    expect(JSON.stringify(await client.request('stream'))).toBe(JSON.stringify(JSON.parse(odd)))
  })

  test('on a stream may be preceded by what belongs to the request', async () => {
    await using server = await openHttpServer(({ message }, response) => {
      openEvents(response).write(event(progress))
      response.end(event(answer(message.id)))
    })
    await using client = await openHttp(server.url)
    await client.request('slow')
    expect(client.heard).toEqual([
      {
        method: 'notifications/message',
        params: { data: 'half' },
        relatedTo: server.received[0]?.message.id,
      },
    ])
  })

  test('to the handshake may be preceded by something, too', async () => {
    const serverInfo = { name: 'early', version: '1' }
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo }
    await using server = await openHttpServer(
      withHandshake({
        initialize: ({ message }, response) => {
          openEvents(response, { 'mcp-session-id': 's1' }).write(event(progress))
          response.end(event(answer(message.id, result)))
        },
      }),
    )
    await using client = await openInitialized(server.url)
    expect(client.session.peer?.info).toEqual(serverInfo)
    expect(client.heard.map(({ method }) => method)).toEqual(['notifications/message'])
    expect(await client.request('echo', { n: 1 })).toEqual({ n: 1 })
  })

  test('are found in any event stream that the WHATWG allows', async () => {
    await using server = await openHttpServer(({ message }, response) => {
      const { id } = message
      const lines = [
        '\uFEFF: a comment\r\n\r\n',
        'id: 1\ndata:\n\n',
        'event: other\ndata: {"not":"for us"}\n\n',
        `event: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":${id},\r\ndata:"result":{"text":"þ€𝄞"}}\r\n\r\n`,
      ]
      const bytes = Buffer.from(lines.join(''))
      openEvents(response)
      let at = 0
      const next = () => {
        if (at >= bytes.length) return response.end()
        response.write(bytes.subarray(at, ++at), () => setImmediate(next))
        return undefined
      }
      next()
    })
    await using client = await openHttp(server.url)
    expect(await client.request('split')).toEqual({ text: 'þ€𝄞' })
    expect(client.errors).toEqual([])
  })

  test('of 20 MB arrive, and those beyond the cap fail their request', async () => {
    await using server = await openHttpServer(({ message }, response) => {
      const result = { text: 'x'.repeat(Number(message.params?.length)) }
      if (message.method === 'json') json(response, answer(message.id, result))
      else openEvents(response).end(event(answer(message.id, result)))
    })
    await using client = await openHttp(server.url, {}, { maxMessageBytes: 21_000_000 })
    for (const kind of ['json', 'stream']) {
      const { text } = await client.request(kind, { length: 20_000_000 })
      expect(String(text).length).toBe(20_000_000)
      const message = await failure(client.request(kind, { length: 22_000_000 }))
      expect(message).toContain('is longer than 21000000 bytes')
    }
  })

  test('in a batch, as revision 2025-03-26 had it, are all taken', async () => {
    await using server = await openHttpServer(({ message }, response) => {
      json(response, [progress, answer(message.id, { last: true })])
    })
    await using client = await openHttp(server.url)
    expect(await client.request('batch')).toEqual({ last: true })
    expect(client.heard.length).toBe(1)
  })

  test('that are errors keep code, message and data, also under an HTTP error', async () => {
    const error = { code: -32602, message: 'no such tool', data: { hint: 'try list' } }
    await using server = await openHttpServer(({ message }, response) => {
      json(response, { jsonrpc: '2.0', id: message.id, error }, message.method === 'ok' ? 200 : 400)
    })
    await using client = await openHttp(server.url)
    for (const kind of ['ok', 'bad']) {
      expect(await failureOf(client.request(kind))).toMatchObject({
        message: 'no such tool',
        number: -32602,
        data: { hint: 'try list' },
      })
    }
  })

  test('that are no valid message fail their request at once', async () => {
    await using server = await openHttpServer(({ message }, response) => {
      openEvents(response).write(event({ jsonrpc: '2.0', id: message.id, result: null }))
    })
    await using client = await openHttp(server.url)
    expect(await failure(client.request('odd'))).toContain('"result" must be an object')
  })

  test('leave no stream behind when the server does not end it', async () => {
    await using server = await openHttpServer(({ message }, response) => {
      openEvents(response).write(event(answer(message.id), { id: 'e1', retry: 1 }))
    })
    await using client = await openHttp(server.url)
    await client.request('sloppy')
    await until(() => server.received[0]?.abandoned === true)
    expect(server.all('GET')).toEqual([])
  })
})

describe('a request without an answer fails at once', () => {
  async function failureWhere(reply: Parameters<typeof openHttpServer>[0]): Promise<string> {
    await using server = await openHttpServer(reply)
    await using client = await openHttp(server.url)
    return await failure(client.request('lost'))
  }

  test('when its stream ends', async () => {
    const message = await failureWhere((_, response) => {
      openEvents(response).end(event(progress))
    })
    expect(message).toMatchInlineSnapshot(
      `"lost: the request was sent, but the stream ended without an answer. It may have been carried out."`,
    )
  })

  test('when its stream breaks', async () => {
    const message = await failureWhere((_, response) => {
      openEvents(response).write(event(progress), () => response.destroy())
    })
    expect(message).toMatchInlineSnapshot(
      `"lost: the request was sent, but the stream broke (UND_ERR_SOCKET: other side closed) without an answer. It may have been carried out."`,
    )
  })

  test('when it was merely accepted', async () => {
    const message = await failureWhere((_, response) => void response.writeHead(202).end())
    expect(message).toMatchInlineSnapshot(
      `"lost: the request was sent, but its answer is neither JSON nor an event stream: HTTP 202 with no body. It may have been carried out."`,
    )
  })

  test('when the body is of another type', async () => {
    const message = await failureWhere((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    })
    expect(message).toMatchInlineSnapshot(
      `"lost: the request was sent, but its answer is neither JSON nor an event stream: HTTP 200 with a body of type text/html. It may have been carried out."`,
    )
  })

  test('when the body answers something else, or is no JSON', async () => {
    expect(await failureWhere((_, response) => json(response, answer(99)))).toMatchInlineSnapshot(
      `"lost: the request was sent, but the body holds no answer to the request. It may have been carried out."`,
    )
    const broken = await failureWhere((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":')
    })
    expect(broken).toContain('the body holds no answer')
  })

  test('when nobody listens there', async () => {
    await using server = await openHttpServer(() => {})
    const { url } = server
    await server[Symbol.asyncDispose]()
    await using client = await openHttp(`${url}?key=hidden`)
    const error = await failureOf(client.request('initialize'))
    expect(error.code).toBe('SERVER_UNAVAILABLE')
    expect(error.message.replace(/\d{4,}/g, 'PORT')).toMatchInlineSnapshot(
      `"initialize: Could not reach http://127.0.0.1:PORT/mcp: connect ECONNREFUSED 127.0.0.1:PORT"`,
    )
  })
})

describe('thousands of calls on one wire', () => {
  test('leave no listener, socket or warning behind', async () => {
    await using server = await openHttpServer(({ message }, response) => {
      if (Number(message.id) % 2) json(response, answer(message.id))
      else openEvents(response).end(event(answer(message.id)))
    })
    const warnings: string[] = []
    const onWarning = (warning: Error) => void warnings.push(warning.message)
    process.on('warning', onWarning)
    {
      await using client = await openHttp(server.url)
      for (let round = 0; round < 250; round++) {
        await Promise.all(Array.from({ length: 20 }, () => client.request('tools/call')))
      }
      expect(await server.openSockets()).toBeLessThanOrEqual(40)
    }
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
    expect(server.received.length).toBe(5000)
  }, 60_000)
})
