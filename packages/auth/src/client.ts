import type { ClientCredentials, ClientRegistration } from '@mobius-mcp/state'
import type { Callback } from './callbacks.ts'
import { SignInError } from './errors.ts'
import type { LoginPlan, LoginWorld } from './login-plan.ts'
import { chooseClient, registerClient } from './registration.ts'
import type { RemoteServer } from './remote-server.ts'
import { covers, joinScopes } from './scopes.ts'

/**
 * Settles who we are and where the browser comes back to, which belong together: a registration is
 * good for one callback, and its port may be somebody else's by now.
 *
 * @throws SignInError
 */
export async function openCallback(
  world: LoginWorld,
  { server, authority, scope, fetch }: LoginPlan,
): Promise<{ client: ClientCredentials; callback: Callback }> {
  const { tokens, clock, clientName } = world
  const { issuer, metadata } = authority
  const choice = chooseClient(server, metadata)
  if (choice.kind === 'fixed') {
    const redirectUri = server.client?.redirectUri
    const callback = await open(world, server, redirectUri, portOf(redirectUri) !== 0)
    return { client: choice.client, callback }
  }
  const known = await tokens.registration(issuer)
  const callback = await open(world, server, known?.redirectUri, false)
  const { redirectUri } = callback
  if (known && isGood(known, redirectUri, scope, clock.now())) return { client: known, callback }
  try {
    const all = joinScopes(known?.scope, scope)
    const { endpoint } = choice
    const request = { server, metadata, endpoint, redirectUri, scope: all, clientName, fetch }
    const registration = await registerClient(request)
    await tokens.setRegistration(issuer, registration)
    return { client: registration, callback }
  } catch (error) {
    callback.close()
    throw error
  }
}

/** Whether a registration still serves. */
function isGood(
  { redirectUri, scope, secretExpiresAt }: ClientRegistration,
  wantedUri: string,
  wantedScope: string | undefined,
  now: number,
): boolean {
  if (secretExpiresAt !== undefined && secretExpiresAt <= now) return false
  return redirectUri === wantedUri && (scope === undefined || covers(scope, wantedScope))
}

async function open(
  { callbacks }: LoginWorld,
  server: RemoteServer,
  redirectUri: string | undefined,
  fixed: boolean,
): Promise<Callback> {
  try {
    return await callbacks.open({ redirectUri, fixed })
  } catch (error) {
    const port = portOf(redirectUri)
    const detail = port === 0 ? '' : `The configured callback needs port ${port}.`
    throw new SignInError('CALLBACK_UNAVAILABLE', server.name, detail, error)
  }
}

function portOf(redirectUri: string | undefined): number {
  return redirectUri === undefined ? 0 : Number(new URL(redirectUri).port)
}
