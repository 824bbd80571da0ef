import { expect, test } from 'vitest'
import { createTestHost, initializeMessage, send } from './test-client.ts'

const origin = 'http://localhost:3000'

test('a preflight is answered for that origin alone, with the headers that MCP needs', async () => {
  const { host } = createTestHost({}, { authenticate: () => undefined })

  const response = await send(host, 'OPTIONS', {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type, mcp-param-region, x-other, mcp-\u00e9',
  })

  expect(response.status).toBe(204)
  expect(Object.fromEntries(response.headers)).toMatchInlineSnapshot(`
    {
      "access-control-allow-headers": "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-param-region",
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-origin": "http://localhost:3000",
      "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
      "access-control-max-age": "7200",
      "allow": "GET, POST, DELETE, OPTIONS",
      "vary": "Origin, Access-Control-Request-Headers, Origin",
    }
  `)
})

test('answers can be read by the page that asked, with the headers it needs', async () => {
  const { host } = createTestHost()

  for (const response of [
    await send(host, 'POST', { origin }, initializeMessage()),
    await send(host, 'GET', { origin }),
    await send(host, 'PUT', { origin }, {}),
  ]) {
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(response.headers.get('access-control-expose-headers')).toBe(
      'Mcp-Session-Id, WWW-Authenticate',
    )
    expect(response.headers.get('vary')).toContain('Origin')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test('without an origin nothing is said about origins; a refused one learns nothing', async () => {
  const { host } = createTestHost()
  const plain = await send(host, 'POST', {}, initializeMessage())
  const refused = await send(host, 'OPTIONS', { origin: 'https://evil.example' })

  expect(plain.headers.get('access-control-allow-origin')).toBeNull()
  expect(refused.status).toBe(403)
  expect(refused.headers.get('access-control-allow-origin')).toBeNull()
})
