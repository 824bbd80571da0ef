import type { JsonObject } from '@mobius-mcp/protocol'
import { textIn, textsIn } from './documents.ts'
import { SignInError } from './errors.ts'
import { toPlainText } from './plain-text.ts'
import { isSafeEndpoint, type RemoteServer } from './remote-server.ts'

/** What is used of an authorization server's metadata, RFC 8414 or OpenID Connect. */
export interface AuthorityMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly registration_endpoint: string | undefined
  readonly revocation_endpoint: string | undefined
  readonly scopes_supported: readonly string[] | undefined
  readonly token_endpoint_auth_methods_supported: readonly string[] | undefined
  readonly authorization_response_iss_parameter_supported: boolean
  readonly client_id_metadata_document_supported: boolean
}

/**
 * Reads the metadata that was found at `url`: it must be that server's own, every endpoint that is
 * used must be safe to send secrets to, and PKCE must be supported.
 *
 * @throws SignInError
 */
export function parseMetadata(
  server: RemoteServer,
  url: string,
  document: JsonObject,
): AuthorityMetadata {
  const issuer = textIn(document, 'issuer') ?? ''
  if (withoutSlash(issuer) !== withoutSlash(url)) {
    const other = toPlainText(issuer) || 'nobody'
    const detail = `The metadata of ${toPlainText(url)} is that of ${other}. Set \`issuer\` if that is meant.`
    throw unsafe(server, detail)
  }
  if (!textsIn(document, 'code_challenge_methods_supported')?.includes('S256')) {
    throw unsafe(server, `${toPlainText(issuer)} does not say that it supports PKCE with S256.`)
  }
  return {
    issuer,
    authorization_endpoint: endpointIn(server, document, 'authorization_endpoint'),
    token_endpoint: endpointIn(server, document, 'token_endpoint'),
    registration_endpoint: optionalIn(server, document, 'registration_endpoint'),
    revocation_endpoint: optionalIn(server, document, 'revocation_endpoint'),
    scopes_supported: textsIn(document, 'scopes_supported'),
    token_endpoint_auth_methods_supported: textsIn(
      document,
      'token_endpoint_auth_methods_supported',
    ),
    authorization_response_iss_parameter_supported:
      document.authorization_response_iss_parameter_supported === true,
    client_id_metadata_document_supported: document.client_id_metadata_document_supported === true,
  }
}

function endpointIn(server: RemoteServer, document: JsonObject, name: string): string {
  const endpoint = textIn(document, name)
  if (endpoint !== undefined && isSafeEndpoint(endpoint, server)) return endpoint
  throw unsafe(server, `Its ${name} is ${toPlainText(endpoint ?? 'missing')}; it must be https.`)
}

function optionalIn(server: RemoteServer, document: JsonObject, name: string): string | undefined {
  return textIn(document, name) === undefined ? undefined : endpointIn(server, document, name)
}

/** What names a server and what it calls itself differ in it so often that it means nothing. */
function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url
}

function unsafe(server: RemoteServer, detail: string): SignInError {
  return new SignInError('UNSAFE_AUTHORIZATION_SERVER', server.name, detail)
}
