import { visit } from '@mobius-mcp/testing/sign-in/browser.ts'
import { describe, expect, test } from 'vitest'
import { ann, callTool, openWorld } from './support/world.ts'

describe('a call that needs more than was granted', () => {
  test('says where to allow it, on top of what is allowed already', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    const login = await world.needed(callTool(session, 'write'))
    expect(login).toMatchObject({
      stepUp: true,
      reason: 'this needs more than the present sign-in allows',
    })
    expect(new URL(login.url).searchParams.get('scope')).toBe(
      'notes:read notes:write offline_access',
    )
    // What is allowed goes on meanwhile.
    expect(await callTool(session, 'read')).toBe('read done')
    const status = await world.signIn.status(world.server, { principal: ann })
    expect(status).toMatchObject({ state: 'signed-in', scope: 'notes:read', url: login.url })
    await visit(login.url)
    expect(await callTool(session, 'write')).toBe('write done')
    expect(await callTool(session, 'read')).toBe('read done')
  })

  test('is not asked for again where that brought nothing', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    const login = await world.needed(callTool(session, 'write'))
    // The person leaves a box unticked.
    world.authority.grantsAtMost = ['notes:read']
    await visit(login.url)
    const error = await world.failure(callTool(session, 'write'))
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(error.message).toMatch(
      /answered HTTP 403: more is needed: what it was given does not suffice$/,
    )
    // Unless a person wants it so.
    world.authority.grantsAtMost = undefined
    await world.signIn.login(world.server, { principal: ann, onUrl: (url) => void visit(url) })
    const { url } = await world.needed(callTool(session, 'write'))
    await visit(url)
    expect(await callTool(session, 'write')).toBe('write done')
  })

  test('is not lost with the next sign-in by command', async () => {
    await using world = await openWorld()
    await world.signInBy()
    const session = await world.open()
    await visit((await world.needed(callTool(session, 'write'))).url)
    await world.signIn.login(world.server, { principal: ann, onUrl: (url) => void visit(url) })
    expect(await callTool(session, 'write')).toBe('write done')
  })
})
