import type { Challenge } from './challenge.ts'
import type { Authority } from './discovery.ts'
import type { RemoteServer } from './remote-server.ts'

/**
 * What to ask for: what the challenge says, else what the configuration says, else all that the
 * server's metadata lists; `undefined` for whatever the authorization server thinks right.
 */
export function chooseScope(
  server: RemoteServer,
  challenge: Challenge,
  authority: Authority,
  granted: string | undefined,
): string | undefined {
  const asked = words(challenge.scope) ?? listed(server.scopes) ?? listed(authority.resourceScopes)
  // More is asked for on top of what was: a sign-in that could do less than before helps nobody.
  const all = [...new Set([...(words(granted) ?? []), ...(asked ?? [])])]
  if (all.length === 0) return undefined
  // It brings the refresh token, where it is known; unasked for it would be all that is granted.
  if (authority.metadata.scopes_supported?.includes(offline) && !all.includes(offline)) {
    all.push(offline)
  }
  return all.join(' ')
}

/** Two scopes as one; what is in both is in it once. */
export function joinScopes(one: string | undefined, other: string | undefined): string | undefined {
  const all = [...new Set([...(words(one) ?? []), ...(words(other) ?? [])])]
  return all.length === 0 ? undefined : all.join(' ')
}

/** Whether a sign-in with the scope allows all that is wanted. */
export function covers(scope: string | undefined, wanted: string | undefined): boolean {
  // That one allows nothing at the server, and is seldom named among what was granted.
  const has = new Set([...(words(scope) ?? []), offline])
  return (words(wanted) ?? []).every((word) => has.has(word))
}

const offline = 'offline_access'

function words(scope: string | undefined): string[] | undefined {
  return listed(scope?.split(' ').filter((word) => word !== ''))
}

function listed<T>(list: readonly T[] | undefined): T[] | undefined {
  return list && list.length > 0 ? [...list] : undefined
}
