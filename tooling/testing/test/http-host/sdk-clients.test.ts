import { bearerKeys } from '@mobius-mcp/http-host'
import { describe, expect, test } from 'vitest'
import { openGate, serveHandmade } from './handmade.ts'
import { openV1, openV2, type SdkClientOptions } from './sdk-clients.ts'

const clients = [
  ['v1', openV1],
  ['v2', openV2],
  ['v2 that asks for the modern era first', (options: SdkClientOptions) => openV2(options, 'auto')],
] as const

const text = (value: string) => [{ type: 'text', text: value }]

describe.each(clients)('SDK client %s', (_, open) => {
  test('makes the handshake, lists, calls and ends its session', async () => {
    await using served = await serveHandmade()
    await using client = await open({ url: served.url })

    expect(client.sessionId).toMatch(/^[\da-f]{32}$/)
    expect(await client.listTools()).toContain('echo')
    expect(await client.callTool('echo', { text: 'hello' })).toEqual(text('hello'))
    expect(served.host.sessions.list()).toMatchObject([
      { client: { name: 'sdk-client' }, protocolVersion: '2025-11-25' },
    ])
    await client.terminate()
    expect(served.host.sessions.count).toBe(0)
  })

  test('gets progress before the answer', async () => {
    await using served = await serveHandmade()
    await using client = await open({ url: served.url })
    const seen: unknown[] = []

    const content = await client.callTool('count', {}, { onprogress: (each) => seen.push(each) })

    expect(content).toEqual(text('counted'))
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })))
  })

  test('is asked during a call, and its answer arrives', async () => {
    await using served = await serveHandmade()
    await using client = await open({ url: served.url })

    expect(await client.callTool('ask')).toEqual(
      text(JSON.stringify({ action: 'accept', content: { name: 'Ada' } })),
    )
  })

  test('hears on its listening stream what belongs to no call', async () => {
    const heard = Promise.withResolvers<void>()
    await using served = await serveHandmade()
    await using client = await open({ url: served.url, onListChanged: heard.resolve })

    await client.callTool('announce')

    await heard.promise
  })

  test('gets code, message and data of an error, also from a stream', async () => {
    await using served = await serveHandmade()
    await using client = await open({ url: served.url })

    for (const options of [{}, { onprogress: () => {} }]) {
      await expect(client.callTool('fail', {}, options)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('No such city'),
        data: { city: 'Atlantis' },
      })
    }
  })

  test('comes back after its connections broke, and gets the rest of its call', async () => {
    const errors: Error[] = []
    await using served = await serveHandmade()
    await using client = await open({ url: served.url, onError: (error) => errors.push(error) })
    const seen: unknown[] = []
    const begun = Promise.withResolvers<void>()
    const call = client.callTool(
      'pause',
      {},
      {
        onprogress: (each) => {
          seen.push(each)
          begun.resolve()
        },
      },
    )
    await begun.promise

    served.breakConnections()
    openGate()

    expect(await call).toEqual(text('went on'))
    expect(seen).toEqual([{ progress: 1 }, { progress: 2 }])
  })

  test('cancels a call, which ends on the server too', async () => {
    await using served = await serveHandmade()
    await using client = await open({ url: served.url })
    const stop = new AbortController()
    const call = client.callTool('cancelled', {}, { signal: stop.signal })
    await expect.poll(() => served.host.sessions.list()[0]?.inFlight).toBe(1)

    stop.abort()

    await expect(call).rejects.toThrow()
    await expect.poll(() => served.host.sessions.list()[0]?.inFlight).toBe(0)
    expect(served.errors).toEqual([])
  })

  test('signs in with a key', async () => {
    await using served = await serveHandmade({
      authenticate: bearerKeys([{ name: 'ada', key: 'secret-of-ada' }]),
    })
    await using client = await open({
      url: served.url,
      headers: { authorization: 'Bearer secret-of-ada' },
    })

    expect(await client.callTool('echo', { text: 'in' })).toEqual(text('in'))
    expect(served.host.sessions.list()).toMatchObject([{ principal: { id: 'ada' } }])
    await expect(
      open({ url: served.url, headers: { authorization: 'Bearer wrong' } }),
    ).rejects.toThrow()
  })

  test('has many calls in flight at once', async () => {
    await using served = await serveHandmade()
    await using client = await open({ url: served.url })

    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => client.callTool('echo', { text: `n${n}` })),
    )

    expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => text(`n${n}`)))
  })
})

test('the v1 client, which comes back after an error that a stream carried, is told to stop', async () => {
  const fetched: string[] = []
  await using served = await serveHandmade()
  await using client = await openV1({
    url: served.url,
    onFetch: (method, status) => fetched.push(`${method} ${status}`),
  })

  await expect(client.callTool('fail', {}, { onprogress: () => {} })).rejects.toThrow()

  await expect.poll(() => fetched, { timeout: 4_000 }).toContain('GET 204')
  expect(fetched.filter((each) => each === 'GET 200')).toHaveLength(1)
})
