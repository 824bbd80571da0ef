import { expect, test } from 'vitest'
import { openWorld } from './support/world.ts'

test.each([
  [
    'the challenge says',
    { challengeScope: 'notes:read', scopes: ['notes:write'] },
    ['openid'],
    'notes:read offline_access',
  ],
  [
    'is configured, where it does not',
    { challengeScope: null, scopes: ['notes:write'] },
    ['openid'],
    'openid offline_access',
  ],
  [
    'the metadata lists, where nothing is',
    { challengeScope: null, scopes: ['notes:read', 'notes:write'] },
    undefined,
    'notes:read notes:write offline_access',
  ],
  [
    'the authorization server thinks right, for an empty list',
    { challengeScope: null, scopes: [] },
    [],
    null,
  ],
  ['the authorization server thinks right, for none', { challengeScope: null }, undefined, null],
])('what is asked for is what %s', async (_name, notes, scopes, expected) => {
  await using world = await openWorld({ notes, server: { scopes } })
  const login = await world.needed(world.call('read'))
  expect(new URL(login.url).searchParams.get('scope')).toBe(expected)
})
