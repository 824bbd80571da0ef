import type { ClientCredentials } from '@mobius-mcp/state'
import type { Callback } from './callbacks.ts'
import { SignInError } from './errors.ts'
import type { LoginPlan, LoginWorld } from './login-plan.ts'
import { chooseClient, registerClient } from './registration.ts'
import type { RemoteServer } from './remote-server.ts'

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
  const lasts = (known?.secretExpiresAt ?? Number.POSITIVE_INFINITY) > clock.now()
  if (known && lasts && known.redirectUri === callback.redirectUri)
    return { client: known, callback }
  try {
    const { redirectUri } = callback
    const { endpoint } = choice
    const request = { server, metadata, endpoint, redirectUri, scope, clientName, fetch }
    const registration = await registerClient(request)
    await tokens.setRegistration(issuer, registration)
    return { client: registration, callback }
  } catch (error) {
    callback.close()
    throw error
  }
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
