import type { TokenKey, TokenSet, Tokens } from '@mobius-mcp/state'
import { describe, expect, test } from 'vitest'

/** Tokens of some kind, which end with the test. */
export interface TokensPlace extends AsyncDisposable {
  readonly tokens: Tokens
}

const key: TokenKey = {
  principal: { id: 'ann' },
  issuer: 'https://as.example',
  resource: 'https://mcp.example/a',
}
const set: TokenSet = {
  accessToken: 'access',
  refreshToken: 'refresh',
  expiresAt: 5,
  client: { id: 'client', secret: 'secret' },
}

/** Whatever tokens are kept in, this holds. */
export function describeTokens(name: string, open: () => Promise<TokensPlace>): void {
  describe(`tokens in ${name}`, () => {
    test('are kept and removed', async () => {
      await using store = await open()
      const { tokens } = store
      expect(await tokens.get(key)).toBeUndefined()
      const version = (await tokens.set(key, set, undefined)) ?? ''
      expect(await tokens.get(key)).toEqual({ key, tokens: set, version })
      expect(await tokens.delete(key, version)).toBe(true)
      expect(await tokens.get(key)).toBeUndefined()
      expect(await tokens.set(key, set, undefined)).not.toBe(version)
    })

    test('are changed only by those who know what is there', async () => {
      await using store = await open()
      const { tokens } = store
      const first = (await tokens.set(key, set, undefined)) ?? ''
      expect(await tokens.set(key, set, undefined)).toBeUndefined()
      const second = (await tokens.set(key, { ...set, accessToken: 'new' }, first)) ?? ''
      expect(await tokens.set(key, set, first)).toBeUndefined()
      expect(await tokens.delete(key, first)).toBe(false)
      expect((await tokens.get(key))?.tokens.accessToken).toBe('new')
      expect(await tokens.delete(key, second)).toBe(true)
      expect(await tokens.delete(key, second)).toBe(false)
      expect(await tokens.set(key, set, second)).toBeUndefined()
    })

    test('of one principal, issuer and server are nobody else’s', async () => {
      await using store = await open()
      const { tokens } = store
      await tokens.set(key, set, undefined)
      const others: TokenKey[] = [
        { ...key, principal: { id: 'bob' } },
        { ...key, principal: { id: 'ann', issuer: 'https://idp.example' } },
        { ...key, issuer: 'https://evil.example' },
        { ...key, resource: 'https://mcp.example/b' },
      ]
      for (const other of others) expect(await tokens.get(other)).toBeUndefined()
      for (const other of others) await tokens.set(other, set, undefined)
      const found = await tokens.list({ id: 'ann' }, 'https://mcp.example/a')
      expect(found.map((stored) => stored.key.issuer).toSorted()).toEqual([
        'https://as.example',
        'https://evil.example',
      ])
    })

    test('registrations belong to their issuer, and can be forgotten', async () => {
      await using store = await open()
      const { tokens } = store
      const registration = { id: 'c', secret: 's', redirectUri: 'http://127.0.0.1:5/callback' }
      await tokens.setRegistration('https://as.example', registration)
      expect(await tokens.registration('https://as.example')).toEqual(registration)
      expect(await tokens.registration('https://other.example')).toBeUndefined()
      await tokens.setRegistration('https://as.example', { ...registration, id: 'd' })
      expect((await tokens.registration('https://as.example'))?.id).toBe('d')
      await tokens.setRegistration('https://as.example', undefined)
      await tokens.setRegistration('https://as.example', undefined)
      expect(await tokens.registration('https://as.example')).toBeUndefined()
    })

    test('a verifier is given out once, to the state that it was saved for, and not too late', async () => {
      await using store = await open()
      const { tokens } = store
      const verifier = { verifier: 'v', issuer: 'https://as.example', expiresAt: 100 }
      await tokens.saveVerifier('one', verifier)
      await tokens.saveVerifier('two', { ...verifier, verifier: 'w' })
      expect(await tokens.takeVerifier('three', 50)).toBeUndefined()
      expect(await tokens.takeVerifier('one', 50)).toEqual(verifier)
      expect(await tokens.takeVerifier('one', 50)).toBeUndefined()
      expect(await tokens.takeVerifier('two', 100)).toBeUndefined()
    })
  })
}
