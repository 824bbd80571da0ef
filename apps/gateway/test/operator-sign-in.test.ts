import { createHttpHost, type HttpRequest } from '@mobius-mcp/http-host'
import { localPrincipal } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { createAccess } from '../src/access.ts'
import { createOperatorSignIn, localOperator } from '../src/operator-sign-in.ts'

const origin = 'http://127.0.0.1:8420'
const local = { operatorKey: 'operator-key', clientKey: 'client-key' }
const anna = { name: 'anna', key: 'anna-key' }

test('the printed address signs one browser in, once', async () => {
  const { app, signIn, authenticate } = createStage()
  const first = await app.request(`${origin}/operator?token=${signIn.token}`)
  expect(first.status).toBe(200)
  const [cookie = ''] = first.headers.getSetCookie()
  expect(cookie).toMatch(/^mobius-operator=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/)
  expect(await first.text()).not.toContain(signIn.token)
  const [pair = ''] = cookie.split(';')
  expect(authenticate(createRequest({ cookie: `a=b; ${pair}` }))).toBe(localOperator)
  const second = await app.request(`${origin}/operator?token=${signIn.token}`)
  expect(second.status).toBe(403)
  expect(second.headers.getSetCookie()).toEqual([])
})

test.each(['', '?token=', '?token=wrong'])('no token, no operator: %j', async (query) => {
  const { app, signIn } = createStage()
  expect((await app.request(`${origin}/operator${query}`)).status).toBe(403)
  // A wrong guess does not use up the right one.
  expect((await app.request(`${origin}/operator?token=${signIn.token}`)).status).toBe(200)
})

test('pages of other origins and ports do not act as the operator', async () => {
  const { app, signIn, authenticate } = createStage()
  const answer = await app.request(`${origin}/operator?token=${signIn.token}`)
  const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? []
  const as = (headers: Record<string, string>) =>
    authenticate(createRequest({ cookie, ...headers }))
  expect(as({ origin })).toBe(localOperator)
  expect(as({ 'sec-fetch-site': 'same-origin' })).toBe(localOperator)
  expect(as({ origin: 'http://127.0.0.1:3000' })).toBe(localPrincipal)
  expect(as({ origin: 'null' })).toBe(localPrincipal)
  expect(as({ 'sec-fetch-site': 'same-site' })).toBe(localPrincipal)
  expect(as({ 'sec-fetch-site': 'cross-site' })).toBe(localPrincipal)
})

test('commands of this machine come in by its keys, beside those of the configuration', async () => {
  const open = createStage().authenticate
  const closed = createStage([anna]).authenticate
  const as = (authenticate: typeof open, key: string) =>
    authenticate(createRequest({ authorization: `Bearer ${key}` }))
  for (const authenticate of [open, closed]) {
    expect(await as(authenticate, 'operator-key')).toBe(localOperator)
    expect(await as(authenticate, 'client-key')).toBe(localPrincipal)
  }
  expect(await as(closed, 'anna-key')).toMatchObject({ id: 'anna', issuer: 'bearer-key' })
  expect(await as(closed, 'operator-kex')).toBeUndefined()
  expect(await closed(createRequest({}))).toBeUndefined()
  expect(await open(createRequest({}))).toBe(localPrincipal)
})

function createStage(keys: { name: string; key: string }[] = []) {
  const signIn = createOperatorSignIn()
  const { app } = createHttpHost({ route: () => undefined })
  signIn.mount(app)
  return { app, signIn, authenticate: createAccess({ keys: () => keys, local, signIn }) }
}

function createRequest(headers: Record<string, string>): HttpRequest {
  return {
    ...{ method: 'POST', path: '/mcp', url: `${origin}/mcp`, remoteAddress: '127.0.0.1' },
    raw: new Request(`${origin}/mcp`),
    header: (name) => headers[name],
  }
}
