import { createServer as createTcpServer } from 'node:net'
import { expect, test } from 'vitest'
import { createGuardedFetch, isFetchRefused } from '../src/index.ts'
import { failureOf, openServer } from './server.ts'

const local = { allowPrivate: 'loopback' } as const

test('this machine is fetched from over http where that is allowed', async () => {
  await using server = await openServer((_request, response) => response.end('hello'))
  const response = await createGuardedFetch(local)(`${server.origin}/a?b=c`)
  expect([response.status, response.url, await response.text()]).toEqual([
    200,
    `${server.origin}/a?b=c`,
    'hello',
  ])
  expect(response).toBeInstanceOf(Response)
  const named = createGuardedFetch({ allowedHosts: ['127.0.0.1'] })
  expect(await (await named(server.origin)).text()).toBe('hello')
})

test('plain http never goes to another machine, whatever is allowed', async () => {
  const lookup = async () => [{ address: '10.0.0.7', family: 4 }]
  const fetch = createGuardedFetch({ allowPrivate: true, allowedHosts: ['nas.local'], lookup })
  expect((await failureOf(fetch('http://nas.local/'))).code).toBe('FETCH_SCHEME')
})

test('the connection goes to the address that was checked, of several to those that may be', async () => {
  await using server = await openServer((_request, response) => response.end('hello'))
  const asked: string[] = []
  const lookup = async (hostname: string) => {
    asked.push(hostname)
    // A name that means something else the next time it is looked up.
    const address = asked.length === 1 ? '127.0.0.1' : '10.0.0.7'
    return [
      { address: '169.254.169.254', family: 4 },
      { address, family: 4 },
    ]
  }
  const fetch = createGuardedFetch({ ...local, lookup })
  expect(await (await fetch(`http://rebound.example:${server.port}/`)).text()).toBe('hello')
  expect(asked).toEqual(['rebound.example'])
  expect(server.received[0]?.headers.host).toBe(`rebound.example:${server.port}`)
})

test('TLS is spoken with the name, not with the address that the name was pinned to', async () => {
  const hello = Promise.withResolvers<string>()
  const server = createTcpServer((socket) => {
    socket.once('data', (data) => {
      hello.resolve(data.toString('latin1'))
      socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const fetch = createGuardedFetch({ ...local, lookup })
  await failureOf(fetch(`https://pinned.example:${port}/`))
  expect(await hello.promise).toContain('pinned.example')
  server.close()
})

test('every redirect is checked again', async () => {
  await using server = await openServer((request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to') ?? ''
    response.writeHead(302, { location: to }).end()
  })
  const lookup = async () => [{ address: '8.8.8.8', family: 4 }]
  const fetch = createGuardedFetch({ ...local, lookup })
  const to = (target: string) =>
    failureOf(fetch(`${server.origin}/?to=${encodeURIComponent(target)}`)).then(({ code }) => code)
  expect(await to('https://10.0.0.1/')).toBe('FETCH_ADDRESS')
  expect(await to('http://169.254.169.254/latest')).toBe('FETCH_ADDRESS')
  expect(await to('file:///etc/passwd')).toBe('FETCH_SCHEME')
  expect(await to('http://example.com/')).toBe('FETCH_SCHEME')
})

test('redirects are followed so far and no further', async () => {
  await using server = await openServer((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
    else response.end('arrived')
  })
  const fetch = createGuardedFetch(local)
  expect(await (await fetch(`${server.origin}/3`)).text()).toBe('arrived')
  const error = await failureOf(fetch(`${server.origin}/4`))
  expect(error.message.replaceAll(String(server.port), 'PORT')).toMatchInlineSnapshot(
    `"Could not fetch http://127.0.0.1:PORT/1: the redirect is not followed. There are too many in a row: see \`maxRedirects\` (to http://127.0.0.1:PORT/0)"`,
  )
})

test('a caller that wants no redirects gets none', async () => {
  await using server = await openServer((_request, response) =>
    response.writeHead(302, { location: '/next' }).end(),
  )
  const fetch = createGuardedFetch(local)
  const manual = await fetch(server.origin, { redirect: 'manual' })
  expect([manual.status, manual.headers.get('location')]).toEqual([302, '/next'])
  expect((await failureOf(fetch(server.origin, { redirect: 'error' }))).code).toBe('FETCH_REDIRECT')
})

test('another origin is told nothing that was meant for the first', async () => {
  await using other = await openServer((_request, response) => response.end('other'))
  await using server = await openServer((request, response) => {
    const location = `${request.url === '/same' ? '' : other.origin}/landed`
    response.writeHead(request.method === 'POST' ? 307 : 302, { location }).end()
  })
  const fetch = createGuardedFetch({ ...local, maxRedirects: 1 })
  const headers = { authorization: 'Bearer secret', 'x-api-key': 'secret', accept: 'text/plain' }
  await fetch(`${server.origin}/`, { headers })
  expect(JSON.stringify(other.received)).not.toContain('secret')
  expect(other.received[0]?.headers.accept).toBe('text/plain')
  await failureOf(fetch(`${server.origin}/same`, { headers }))
  expect(server.received.at(-1)).toMatchObject({ url: '/landed', headers })
  const posted = fetch(`${server.origin}/`, { method: 'POST', body: 'client_secret=secret' })
  expect((await failureOf(posted)).code).toBe('FETCH_REDIRECT')
})

test('a body is cut where it is too long, whether it says so or not', async () => {
  await using server = await openServer((request, response) => {
    if (request.url === '/declared') response.setHeader('content-length', 2000)
    response.write('x'.repeat(1000))
    response.end('x'.repeat(1000))
  })
  const fetch = createGuardedFetch({ ...local, maxBytes: 1999 })
  expect((await failureOf(fetch(`${server.origin}/declared`))).code).toBe('FETCH_TOO_LARGE')
  const response = await fetch(`${server.origin}/`)
  const error = await failureOf(response.text())
  expect(isFetchRefused(error)).toBe(true)
  expect(error.message).toContain('`maxBytes`')
  const exact = createGuardedFetch({ ...local, maxBytes: 2000 })
  expect((await (await exact(`${server.origin}/declared`)).text()).length).toBe(2000)
})

test('an answer that does not come, or does not end, is given up', async () => {
  await using server = await openServer((request, response) => {
    if (request.url === '/body') response.write('beginning')
  })
  const fetch = createGuardedFetch({ ...local, timeout: 50 })
  const error = await failureOf(fetch(`${server.origin}/headers`))
  expect([error.message.includes('`timeout`'), error.code]).toEqual([true, 'FETCH_TIMEOUT'])
  const response = await fetch(`${server.origin}/body`)
  expect((await failureOf(response.text())).code).toBe('FETCH_TIMEOUT')
})

test('whoever asked may take it back', async () => {
  await using server = await openServer(() => {})
  const controller = new AbortController()
  const fetching = createGuardedFetch(local)(server.origin, { signal: controller.signal })
  controller.abort(new Error('not any more'))
  expect((await failureOf(fetching)).message).toBe('not any more')
})
