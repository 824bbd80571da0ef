import { openFileTokens } from '@mobius-mcp/state/file'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import { failWith } from '@mobius-mcp/testing/sign-in/authorization-server.ts'
import { describe, expect, test } from 'vitest'
import { ann, bob, callTool, openWorld } from './support/world.ts'

describe('signing out', () => {
  test('forgets the tokens, and has them revoked', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    const [token = ''] = world.notes.tokens()
    expect(await world.signIn.logout(world.server, { principal: ann })).toEqual({
      signedIn: true,
      revoked: true,
    })
    expect(world.authority.count('POST /token/revocation')).toBe(2)
    expect(await world.authority.provider.AccessToken.find(token)).toBeUndefined()
    expect(await world.signIn.status(world.server, { principal: ann })).toEqual({
      state: 'signed-out',
    })
    const login = await world.needed(callTool(session, 'read'))
    expect(login.reason).toBe('nobody has signed in')
  })

  test('signs nobody else out', async () => {
    await using world = await openWorld()
    await world.signInBy(ann)
    await world.signInBy(bob)
    await world.signIn.logout(world.server, { principal: ann })
    expect(await world.call('read', bob)).toBe('read done')
    await world.needed(world.call('read', ann))
  })

  test('gives up a sign-in that waits', async () => {
    await using world = await openWorld()
    const login = await world.needed(world.call('read'))
    expect(await world.signIn.logout(world.server, { principal: ann })).toEqual({
      signedIn: false,
      revoked: false,
    })
    expect(await login.done).toBe(false)
  })

  test('is possible where nothing can be revoked', async () => {
    await using world = await openWorld({ authority: { revocation: false } })
    await world.signInBy()
    expect(await world.signIn.logout(world.server, { principal: ann })).toEqual({
      signedIn: true,
      revoked: false,
    })
    await world.needed(world.call('read'))
  })

  test('is possible while the authorization server is down, and says what is left', async () => {
    await using world = await openWorld()
    await world.signInBy()
    world.authority.intercept = failWith('/.well-known/oauth-authorization-server', 503)
    expect(await world.signIn.logout(world.server, { principal: ann })).toEqual({
      signedIn: true,
      revoked: false,
    })
    expect(world.heard.at(-1)).toMatch(
      /^notes: The sign-in was forgotten, but not revoked: .* answered HTTP 503$/,
    )
  })

  test('leaves no token in the folder, and is noticed by other processes', async () => {
    await using folder = await openTemporaryFolder()
    const tokens = () => openFileTokens(folder.path)
    await using world = await openWorld({ signIn: { tokens: tokens() } })
    await world.signInBy()
    const session = await world.open()
    expect(await callTool(session, 'read')).toBe('read done')
    // It can revoke nothing, so it is the folder alone that says so.
    world.authority.intercept = failWith('/.well-known/oauth-authorization-server', 503)
    const other = world.another({ tokens: tokens() })
    expect(await other.logout(world.server, { principal: ann })).toMatchObject({ signedIn: true })
    world.authority.intercept = undefined
    await world.clock.advance(5000)
    await world.needed(callTool(session, 'read'))
  })
})
