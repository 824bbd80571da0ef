import type { FetchLike } from '@mobius-mcp/sandbox'
import type { ClientCredentials, ClientRegistration } from '@mobius-mcp/state'
import type { AuthorityMetadata } from './authority-metadata.ts'
import { parseObject, textIn } from './documents.ts'
import { SignInError } from './errors.ts'
import { toNetworkProblem, toPlainText } from './plain-text.ts'
import type { RemoteServer } from './remote-server.ts'

/** How we are to be known to an authorization server. */
export type ClientChoice =
  /** As it was arranged, or by a document of our own: the same for every callback. */
  | { readonly kind: 'fixed'; readonly client: ClientCredentials }
  /** By registering, for one callback. */
  | { readonly kind: 'register'; readonly endpoint: string }

/**
 * Chooses: what was arranged beforehand, then a document of our own, then registration.
 *
 * @throws SignInError where nothing is possible.
 */
export function chooseClient(server: RemoteServer, metadata: AuthorityMetadata): ClientChoice {
  const { client, clientMetadataUrl } = server
  if (client) return { kind: 'fixed', client: withoutRedirect(client) }
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported) {
    return { kind: 'fixed', client: { id: clientMetadataUrl, method: 'none' } }
  }
  const endpoint = metadata.registration_endpoint
  if (endpoint !== undefined) return { kind: 'register', endpoint }
  const detail = `${toPlainText(metadata.issuer)} takes no registrations. Register a client there by hand, and configure its id.`
  throw new SignInError('REGISTRATION_FAILED', server.name, detail)
}

export interface RegistrationRequest {
  readonly server: RemoteServer
  readonly metadata: AuthorityMetadata
  readonly endpoint: string
  readonly redirectUri: string
  readonly scope: string | undefined
  readonly clientName: string
  readonly fetch: FetchLike
}

/**
 * Registers this client. RFC 7591.
 *
 * @throws SignInError
 */
export async function registerClient(request: RegistrationRequest): Promise<ClientRegistration> {
  const { server, endpoint, redirectUri, scope, metadata, fetch } = request
  const document = {
    client_name: request.clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: methodFor(metadata),
    // Without it the server has to guess whether a loopback callback is allowed.
    application_type: 'native',
    ...(scope === undefined ? {} : { scope }),
  }
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(document),
      redirect: 'manual',
    })
    const answer = parseObject(await response.text()) ?? {}
    const id = textIn(answer, 'client_id')
    if (!response.ok || id === undefined) {
      const said = [textIn(answer, 'error'), textIn(answer, 'error_description')]
      throw new Error(`It answered HTTP ${response.status} ${said.filter(Boolean).join(': ')}`)
    }
    const expiry = answer.client_secret_expires_at
    return {
      id,
      secret: textIn(answer, 'client_secret'),
      secretExpiresAt: typeof expiry === 'number' && expiry > 0 ? expiry * 1000 : undefined,
      method: textIn(answer, 'token_endpoint_auth_method'),
      // What was asked, not what is answered: to ask again would be answered alike.
      scope,
      redirectUri,
    }
  } catch (error) {
    throw new SignInError('REGISTRATION_FAILED', server.name, toNetworkProblem(error), error)
  }
}

/** A program on somebody's machine keeps no secret from them; some servers insist on one. */
function methodFor({
  token_endpoint_auth_methods_supported: supported,
}: AuthorityMetadata): string {
  const known = ['none', 'client_secret_basic', 'client_secret_post']
  return known.find((method) => supported?.includes(method)) ?? 'none'
}

function withoutRedirect({ id, secret, method }: ClientCredentials): ClientCredentials {
  return { id, secret, method }
}
