import type { ClientRegistration, CodeVerifier, StoredTokens, TokenKey, Tokens } from './tokens.ts'

/** Makes a store of tokens that forgets with the process. */
export function createMemoryTokens(): Tokens {
  const sets = new Map<string, StoredTokens>()
  const registrations = new Map<string, ClientRegistration>()
  const verifiers = new Map<string, CodeVerifier>()
  let versions = 0
  return {
    async get(key) {
      return sets.get(textOf(key))
    },
    async set(key, tokens, expected) {
      const text = textOf(key)
      if (sets.get(text)?.version !== expected) return undefined
      versions += 1
      sets.set(text, { key, tokens, version: String(versions) })
      return String(versions)
    },
    async delete(key, expected) {
      const text = textOf(key)
      return sets.get(text)?.version === expected && sets.delete(text)
    },
    async list(principal, resource) {
      return [...sets.values()].filter(
        ({ key }) => textOf(key) === textOf({ ...key, principal, resource }),
      )
    },
    async registration(issuer) {
      return registrations.get(issuer)
    },
    async setRegistration(issuer, registration) {
      if (registration) registrations.set(issuer, registration)
      else registrations.delete(issuer)
    },
    async saveVerifier(state, verifier) {
      verifiers.set(state, verifier)
    },
    async takeVerifier(state, now) {
      const verifier = verifiers.get(state)
      verifiers.delete(state)
      for (const [old, { expiresAt }] of verifiers) if (expiresAt <= now) verifiers.delete(old)
      return verifier && verifier.expiresAt > now ? verifier : undefined
    },
  }
}

/** A key as text, in which no part can pass for another. */
export function textOf({ principal, issuer, resource }: TokenKey): string {
  return JSON.stringify([principal.issuer ?? null, principal.id, issuer, resource])
}
