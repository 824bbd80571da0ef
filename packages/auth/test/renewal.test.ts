import { SignInError } from '@mobius-mcp/auth'
import { createMemoryTokens, type Tokens } from '@mobius-mcp/state'
import { failWith } from '@mobius-mcp/testing/sign-in/authorization-server.ts'
import { visit } from '@mobius-mcp/testing/sign-in/browser.ts'
import { describe, expect, test } from 'vitest'
import { ann, callTool, openWorld } from './support/world.ts'

const hour = 3_600_000
const many = Array.from({ length: 50 })

describe('tokens that have expired', () => {
  test('are renewed once for fifty calls at a time', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    await world.clock.advance(hour)
    const answers = await Promise.all(many.map(() => callTool(session, 'read')))
    expect(new Set(answers)).toEqual(new Set(['read done']))
    expect(world.authority.grants.slice(1)).toEqual([
      { type: 'refresh_token', resource: world.notes.url },
    ])
  })

  test('are renewed again and again, each time with the latest refresh token', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    for (let round = 1; round <= 4; round++) {
      await world.clock.advance(hour)
      expect(await callTool(session, 'read')).toBe('read done')
      expect(world.refreshes()).toBe(round)
    }
  })

  test('need a new sign-in where there is no refresh token', async () => {
    await using world = await openWorld()
    world.authority.withoutRefreshTokens = true
    await world.signInBy()
    await world.clock.advance(hour)
    const status = await world.signIn.status(world.server, { principal: ann })
    expect(status).toMatchObject({ state: 'expired', renewable: false })
    const login = await world.needed(world.call('read'))
    expect(login.reason).toBe('the sign-in is not valid any more')
  })
})

describe('tokens that are refused', () => {
  test('are renewed once for fifty calls at a time', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    world.notes.refused.add(world.notes.tokens().at(-1) ?? '')
    const answers = await Promise.all(many.map(() => callTool(session, 'read')))
    expect(new Set(answers)).toEqual(new Set(['read done']))
    expect(world.refreshes()).toBe(1)
  })

  test('need a new sign-in where even new ones are refused, and no loop', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    world.notes.refusedCall = 'read'
    const reads = () => world.notes.shown.filter((each) => each.startsWith('read ')).length
    const login = await world.needed(callTool(session, 'read'))
    expect(login.reason).toBe('the server refuses even the tokens that were issued just now')
    expect(reads()).toBe(2)
    expect(world.refreshes()).toBe(1)
  })
})

describe('a sign-in that was revoked', () => {
  test('is forgotten, and fifty calls say at once where to sign in again', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    world.authority.revokeAll()
    const logins = await Promise.all(many.map(() => world.needed(callTool(session, 'read'))))
    expect(new Set(logins.map(({ url }) => url)).size).toBe(1)
    expect(logins[0]?.reason).toBe('the sign-in is not valid any more')
    expect(world.refreshes()).toBe(1)
    const status = await world.signIn.status(world.server, { principal: ann })
    expect(status).toEqual({ state: 'pending', url: logins[0]?.url })
    // The same conversation goes on.
    await world.signInBy()
    expect(await callTool(session, 'read')).toBe('read done')
  })

  test('needs a new registration too where that was forgotten', async () => {
    await using world = await openWorld()
    await world.signInBy()
    world.authority.forgetClients()
    await world.clock.advance(hour)
    await world.needed(world.call('read'))
    expect(world.authority.count('POST /reg')).toBe(2)
    await world.signInBy()
    expect(await world.call('read')).toBe('read done')
  })
})

describe('an authorization server that cannot renew for now', () => {
  test.each([
    ['broken', failWith('/token', 500, '{"error":"server_error"}')],
    ['busy', failWith('/token', 429)],
    ['away for now', failWith('/token', 400, '{"error":"temporarily_unavailable"}')],
    ['gone', failWith('/.well-known/oauth-authorization-server', 503)],
  ])('loses no sign-in: %s', async (_name, intercept) => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    await world.clock.advance(hour)
    world.authority.intercept = intercept
    const error = await world.failure(callTool(session, 'read'))
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(error.cause).toBeInstanceOf(SignInError)
    expect(error.cause).toMatchObject({ problem: 'REFRESH_FAILED' })
    expect(error.message).toMatch(/It is kept, and tried again with the next call\.$/)
    world.authority.intercept = undefined
    expect(await callTool(session, 'read')).toBe('read done')
  })
})

describe('an odd answer of a token endpoint', () => {
  test.each([
    ['in a form', 'access_token=odd-token-1&token_type=bearer&expires_in=60'],
    ['without a type', '{"access_token":"odd-token-1"}'],
    ['with a lifetime as text', '{"access_token":"odd-token-1","expires_in":"60"}'],
  ])('is understood: %s', async (_name, answer) => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    await world.clock.advance(hour)
    world.authority.intercept = failWith('/token', 200, answer)
    await world.failure(callTool(session, 'read'))
    expect(world.notes.tokens()).toContain('odd-token-1')
  })

  test('that nobody understands deletes nothing, and needs a sign-in', async () => {
    await using world = await openWorld()
    await world.signInBy()
    await world.clock.advance(hour)
    world.authority.intercept = failWith('/token', 403, '<h1>No</h1>')
    const login = await world.needed(world.call('read'))
    const status = await world.signIn.status(world.server, { principal: ann })
    expect(status).toMatchObject({ state: 'signed-in', url: login.url })
  })

  test('that says no with HTTP 200 is a no', async () => {
    await using world = await openWorld()
    await world.signInBy()
    await world.clock.advance(hour)
    world.authority.intercept = failWith('/token', 200, '{"error":"invalid_grant"}')
    await world.needed(world.call('read'))
  })
})

test('a sign-in that cannot be kept has failed, and says why', async () => {
  const tokens: Tokens = {
    ...createMemoryTokens(),
    set: () => Promise.reject(new Error('the disk is full')),
  }
  await using world = await openWorld({ signIn: { tokens } })
  const onUrl = (url: string) => void visit(url)
  const error = await world.failure(world.signIn.login(world.server, { principal: ann, onUrl }))
  expect(error.message).toBe(
    'Signing in to "notes": what it brought could not be kept. the disk is full',
  )
})

test('a store that does not take renewed tokens is reported, and the calls go on', async () => {
  const kept = createMemoryTokens()
  let full = false
  const tokens: Tokens = {
    ...kept,
    async set(key, set, expected) {
      if (full && set.claim === undefined) throw new Error('the disk is full')
      return await kept.set(key, set, expected)
    },
  }
  await using world = await openWorld({ signIn: { tokens } })
  await world.signInBy()
  const session = await world.open()
  await world.clock.advance(hour)
  full = true
  expect(await callTool(session, 'read')).toBe('read done')
  await world.clock.advance(60_000)
  expect(await callTool(session, 'read')).toBe('read done')
  expect(world.refreshes()).toBe(1)
  expect(world.heard).toContain(
    'notes: The sign-in was renewed, but is lost with this process: the disk is full',
  )
})
