import type { StoredTokens } from '@mobius-mcp/state'
import type { Account, AccountWorld } from './account.ts'
import { findAuthority } from './discovery.ts'
import { toNetworkProblem } from './plain-text.ts'
import { revokeToken } from './token-endpoint.ts'

/** What signing out did. */
export interface SignOut {
  /** Whether there was anything to forget. */
  readonly signedIn: boolean
  /** Whether the authorization server has forgotten it too. */
  readonly revoked: boolean
}

/** Forgets first, for that must not fail, and then has it revoked where that is possible. */
export async function logOut(
  world: AccountWorld,
  account: Account,
  signal: AbortSignal | undefined,
): Promise<SignOut> {
  account.login?.cancel(account.server.name, 'Somebody signed out.')
  const removed = await account.tokens.clear()
  for (const { key, tokens } of removed) {
    const registration = await world.tokens.registration(key.issuer)
    // A registration that does not work is a reason to sign out and in again.
    if (registration?.id === tokens.client.id) {
      await world.tokens.setRegistration(key.issuer, undefined)
    }
  }
  const revoked = await Promise.all(removed.map((stored) => revoke(world, account, stored, signal)))
  return { signedIn: removed.length > 0, revoked: removed.length > 0 && revoked.every(Boolean) }
}

async function revoke(
  world: AccountWorld,
  { server, fetch }: Account,
  { key, tokens: { client, accessToken, refreshToken } }: StoredTokens,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const own = (url: string | URL, init?: RequestInit) =>
    fetch(url, signal === undefined ? init : { ...init, signal })
  try {
    const metadata = await findAuthority(server, key.issuer, own)
    const endpoint = metadata?.revocation_endpoint
    if (!metadata || endpoint === undefined) return false
    const request = { client, metadata, fetch: own }
    // The refresh token first: with it most servers forget the access tokens too.
    const asked = [
      ...(refreshToken === undefined ? [] : [[refreshToken, 'refresh_token'] as const]),
      [accessToken, 'access_token'] as const,
    ]
    let revoked = true
    for (const [token, hint] of asked) {
      const parameters = { token, token_type_hint: hint }
      revoked = (await revokeToken({ ...request, parameters }, endpoint)) && revoked
    }
    return revoked
  } catch (error) {
    world.log(server.name, `The sign-in was forgotten, but not revoked: ${toNetworkProblem(error)}`)
    return false
  }
}
