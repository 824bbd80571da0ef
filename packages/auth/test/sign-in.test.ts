import { visit } from '@mobius-mcp/testing/sign-in/browser.ts'
import { describe, expect, test } from 'vitest'
import { ann, bob, openWorld } from './support/world.ts'

const hour = 3_600_000

describe('signing in', () => {
  test('begins with a call that fails at once and says where to go', async () => {
    await using world = await openWorld()
    const login = await world.needed(world.call('read'))
    const url = new URL(login.url)
    expect(url.origin).toBe(world.authority.issuer)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: world.notes.url,
      scope: 'notes:read offline_access',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(await world.signIn.status(world.server, { principal: ann })).toEqual({
      state: 'pending',
      url: login.url,
    })
  })

  test('is done in the browser, and the next call goes through', async () => {
    await using world = await openWorld()
    const login = await world.needed(world.call('read'))
    const { status, text } = await visit(login.url)
    expect([status, text]).toEqual([200, expect.stringContaining('You may close this window.')])
    expect(await login.done).toBe(true)
    expect(await world.call('read')).toBe('read done')
    expect(world.authority.grants).toEqual([
      { type: 'authorization_code', resource: world.notes.url },
    ])
    const status_ = await world.signIn.status(world.server, { principal: ann })
    expect(status_).toEqual({
      state: 'signed-in',
      issuer: world.authority.issuer,
      scope: 'notes:read',
      expiresAt: world.clock.now() + hour - 30_000,
      renewable: true,
      url: undefined,
    })
  })

  test('is one for all who need it, and one for each principal', async () => {
    await using world = await openWorld()
    const calls = Array.from({ length: 20 }, () => world.needed(world.call('read')))
    const urls = new Set((await Promise.all(calls)).map(({ url }) => url))
    expect(urls.size).toBe(1)
    expect(world.authority.count('POST /reg')).toBe(1)
    const other = await world.needed(world.call('read', bob))
    expect(urls).not.toContain(other.url)
    await visit(other.url)
    expect(await world.call('read', bob)).toBe('read done')
    await world.needed(world.call('read', ann))
  })
})
