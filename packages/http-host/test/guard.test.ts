import { expect, test } from 'vitest'
import { createGuard, type GuardOptions } from '../src/guard.ts'
import { IncomingRequest } from '../src/http-request.ts'
import { createTestHost, initializeMessage, json, send } from './test-client.ts'

/** The status with which a request is refused; 200 when it passes. */
function judge(
  headers: Record<string, string>,
  options: GuardOptions = {},
  address?: string,
): number {
  const request = new IncomingRequest(new Request('http://in.test/mcp'), '/mcp', {
    incoming: { headers, socket: { remoteAddress: address } },
  })
  return createGuard(options)(request)?.status ?? 200
}

test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:8420', '[::1]', '[::1]:8420'])(
  'loopback names are served at any port: %s',
  (host) => {
    expect(judge({ host })).toBe(200)
  },
)

test.each([
  'evil.example',
  'evil.example:8420',
  'localhost.evil.example',
  'evil.example:localhost',
  'evil.example@localhost',
  '127.0.0.1.nip.io',
  '127.0.0.2',
  '::1',
  '',
])('other names are refused: %s', (host) => {
  expect(judge({ host })).toBe(403)
})

test('a host is allowed at any port, or at one', () => {
  const allowedHosts = ['Mobius.Example', 'star.example:*', 'one.example:8443', 'fd00::7']

  expect(judge({ host: 'mobius.example' }, { allowedHosts })).toBe(200)
  expect(judge({ host: 'mobius.example:8420' }, { allowedHosts })).toBe(200)
  expect(judge({ host: 'star.example:1' }, { allowedHosts })).toBe(200)
  expect(judge({ host: '[fd00::7]:8420' }, { allowedHosts })).toBe(200)
  expect(judge({ host: 'one.example:8443' }, { allowedHosts })).toBe(200)
  expect(judge({ host: 'one.example' }, { allowedHosts })).toBe(403)
  expect(judge({ host: 'one.example:443' }, { allowedHosts })).toBe(403)
  expect(judge({ host: 'sub.mobius.example' }, { allowedHosts })).toBe(403)
})

test('a page may call from an allowed host or a listed origin, never from nowhere', () => {
  const options = {
    allowedHosts: ['mobius.example'],
    allowedOrigins: ['https://app.example', 'vscode-webview://panel/'],
  }
  const from = (origin: string) => judge({ host: 'localhost', origin }, options)

  for (const origin of [
    'http://localhost:3000',
    'http://[::1]:5173',
    'https://mobius.example',
    'https://app.example',
    'vscode-webview://panel',
  ]) {
    expect([origin, from(origin)]).toEqual([origin, 200])
  }
  for (const origin of [
    'null',
    'https://evil.example',
    'http://app.example',
    'https://app.example.evil.example',
    'file://localhost',
    'https://localhost/../evil.example',
    '',
  ]) {
    expect([origin, from(origin)]).toEqual([origin, 403])
  }
})

test('a proxy says what its client asked for, if it is trusted', () => {
  const options = { allowedHosts: ['mobius.example'], trustedProxies: ['10.0.0.0/8', '::1'] }
  const headers = { host: 'internal:8420', 'x-forwarded-host': 'mobius.example' }

  expect(judge(headers, options, '10.1.2.3')).toBe(200)
  expect(judge(headers, options, '::ffff:10.1.2.3')).toBe(200)
  expect(judge(headers, options, '::1')).toBe(200)
  expect(judge(headers, options, '192.168.0.1')).toBe(403)
  expect(judge(headers, options, undefined)).toBe(403)
  expect(judge(headers, { allowedHosts: ['mobius.example'] }, '10.1.2.3')).toBe(403)
  const forged = { host: 'localhost', 'x-forwarded-host': 'localhost, evil.example' }
  expect(judge(forged, options, '10.1.2.3')).toBe(403)
})

test('behind a trusted proxy the URL is the one that the client used', () => {
  const urlFor = (trustedProxies: string[]) => {
    const headers = {
      host: 'localhost:8420',
      'x-forwarded-host': 'mobius.example',
      'x-forwarded-proto': 'https',
    }
    const raw = new Request('http://localhost:8420/mcp?a=1')
    const incoming = { headers, socket: { remoteAddress: '127.0.0.1' } }
    const request = new IncomingRequest(raw, '/mcp', { incoming })
    createGuard({ trustedProxies, allowedHosts: ['mobius.example'] })(request)
    return request.url
  }

  expect(urlFor(['127.0.0.1'])).toBe('https://mobius.example/mcp?a=1')
  expect(urlFor([])).toBe('http://localhost:8420/mcp?a=1')
})

test('a refusal names what was refused and the setting', async () => {
  const { host } = createTestHost()
  const byHost = await send(host, 'POST', { host: 'evil.example' }, initializeMessage())
  const byOrigin = await send(host, 'POST', { origin: 'null' }, initializeMessage())

  expect(byHost.status).toBe(403)
  expect(await json(byHost)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": -32004,
        "message": "The host "evil.example" is not served here. Loopback names are, and what http.allowedHosts lists: add the name there if clients are to use it.",
      },
      "jsonrpc": "2.0",
    }
  `)
  expect(byOrigin.status).toBe(403)
  expect(await json(byOrigin)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": -32004,
        "message": "Web pages of the origin "null" may not call this server. Pages at an allowed host (http.allowedHosts) may, and what http.allowedOrigins lists: add the origin there if its pages are to call.",
      },
      "jsonrpc": "2.0",
    }
  `)
})

test('health and whatever else is mounted stand behind the same checks', async () => {
  const { host } = createTestHost()
  host.app.get('/page', (context) => context.text('a page'))

  for (const path of ['/healthz', '/readyz', '/page', '/nothing']) {
    expect((await send(host, 'GET', { host: 'evil.example' }, undefined, path)).status).toBe(403)
  }
  expect(await (await send(host, 'GET', {}, undefined, '/page')).text()).toBe('a page')
})

test('a setting that is no address is refused at once', () => {
  expect(() => createGuard({ trustedProxies: ['10.0.0.0/33'] })).toThrowErrorMatchingInlineSnapshot(
    `[TypeError: trustedProxies: "10.0.0.0/33" is no IP address or range; expected for example 127.0.0.1, fd00::7 or 10.0.0.0/8]`,
  )
})
