import { expect, test } from 'vitest'
import { bearerKeys } from '../src/index.ts'
import {
  createHandler,
  createTestHost,
  initializeMessage,
  json,
  send,
  TestClient,
} from './test-client.ts'

const keys = [
  { name: 'ci', key: 'key-of-ci' },
  { name: 'ops', key: 'key-of-ops', scopes: ['operator'] },
]

test('a bearer key says who is calling', async () => {
  const handler = createHandler({ who: ({ principal }) => ({ principal }) })
  const { host } = createTestHost({}, { route: () => handler, authenticate: bearerKeys(keys) })

  for (const authorization of ['Bearer key-of-ops', 'bearer key-of-ops']) {
    const client = await TestClient.open(host, { headers: { authorization } })
    expect(await json(await client.call('who'))).toMatchObject({
      result: { principal: { id: 'ops', issuer: 'bearer-key', scopes: ['operator'] } },
    })
  }
})

test.each([
  'Bearer key-of-opt',
  'Bearer key-of-op',
  'Bearer key-of-ops-and-more',
  'Bearer',
  'Bearer key-of-ops key-of-ci',
  'Basic key-of-ops',
  'key-of-ops',
])('any other key is refused as invalid: %s', async (authorization) => {
  const { host } = createTestHost({}, { authenticate: bearerKeys(keys) })

  const response = await send(host, 'POST', { authorization }, initializeMessage())

  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  const text = await response.text()
  expect(text).not.toContain('key-of')
  expect(JSON.parse(text)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": -32004,
        "message": "The credentials in the Authorization header are not accepted here.",
      },
      "jsonrpc": "2.0",
    }
  `)
})

test('no key at all is asked for one, before the body is looked at', async () => {
  const { host } = createTestHost({}, { authenticate: bearerKeys(keys), maxBodyBytes: 1 })

  const response = await send(host, 'POST', { 'content-type': 'text/plain' }, 'anything')

  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await json(response)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": -32004,
        "message": "Authentication is required: send the header "Authorization: Bearer <key>".",
      },
      "jsonrpc": "2.0",
    }
  `)
})

test('an unknown token is 401 even with an unknown session: who is calling comes first', async () => {
  const { host } = createTestHost({}, { authenticate: bearerKeys(keys) })
  const headers = { authorization: 'Bearer no', 'mcp-session-id': 'gone' }

  expect((await send(host, 'GET', headers)).status).toBe(401)
})

test('an authenticator may word its own challenge', async () => {
  const challenge = 'Bearer error="insufficient_scope", scope="files"'
  const { host } = createTestHost({}, { authenticate: () => ({ challenge, status: 403 as const }) })

  const response = await send(host, 'POST', {}, initializeMessage())

  expect(response.status).toBe(403)
  expect(response.headers.get('www-authenticate')).toBe(challenge)
})

test('an authenticator that fails is our fault, not the client’s', async () => {
  const { host, errors } = createTestHost(
    {},
    {
      authenticate: async () => {
        throw new Error('the key store is down')
      },
    },
  )

  const response = await send(host, 'POST', {}, initializeMessage())

  expect(response.status).toBe(500)
  expect(await json(response)).toEqual({
    jsonrpc: '2.0',
    error: { code: -32603, message: 'Internal error' },
  })
  expect(errors.map((error) => error.message)).toEqual(['the key store is down'])
})

test('keys that cannot work are refused, without being shown', () => {
  expect(() => bearerKeys([{ name: 'a', key: '' }])).toThrow(/"a" is empty/)
  expect(() => bearerKeys([{ name: 'a', key: 'x y' }])).toThrow(/white space/)
  expect(() => bearerKeys([{ name: '', key: 'x' }])).toThrow(/needs a name/)
  expect(() =>
    bearerKeys([
      { name: 'a', key: 'secret' },
      { name: 'b', key: 'secret' },
    ]),
  ).toThrow(/^(?!.*secret).*there twice/)
})
