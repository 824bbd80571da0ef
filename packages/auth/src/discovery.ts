import type { JsonObject } from '@mobius-mcp/protocol'
import type { FetchLike } from '@mobius-mcp/sandbox'
import { type AuthorityMetadata, parseMetadata } from './authority-metadata.ts'
import type { Challenge } from './challenge.ts'
import { fetchDocument, textIn, textsIn } from './documents.ts'
import { SignInError } from './errors.ts'
import { toNetworkProblem, toPlainText } from './plain-text.ts'
import { isSafeEndpoint, type RemoteServer, resourceOf } from './remote-server.ts'

/** An authorization server, and what the server whose door it keeps says about it. */
export interface Authority {
  /** Its own name for itself; credentials are bound to it. */
  readonly issuer: string
  readonly metadata: AuthorityMetadata
  /** What the server calls itself, to be named in requests; absent where it does not say. */
  readonly indicator: string | undefined
  readonly resourceScopes: readonly string[] | undefined
}

/**
 * Finds out where to sign in to a server: its resource metadata as the challenge, the path and the
 * root say, then the metadata of the authorization server that it names. `undefined` where nothing
 * is said at all.
 *
 * @throws SignInError
 */
export async function discover(
  server: RemoteServer,
  challenge: Challenge,
  fetch: FetchLike,
): Promise<Authority | undefined> {
  if (!isSafeEndpoint(server.url, server)) {
    if (challenge.resourceMetadata === undefined && server.issuer === undefined) return undefined
    throw new SignInError('UNSAFE_SERVER', server.name, 'Configure its https URL.')
  }
  const resource = await findResource(server, challenge, fetch)
  const [named] = resource ? (textsIn(resource, 'authorization_servers') ?? []) : []
  // Revision 2025-03-26 knew no resource metadata: the server's origin is its authorization server.
  const url = server.issuer ?? named ?? new URL(server.url).origin
  const metadata = await findAuthority(server, url, fetch)
  if (!metadata) {
    if (!resource && server.issuer === undefined) return undefined
    const detail = `Nothing at ${toPlainText(url)} says how to use it. Set \`issuer\` if it is another.`
    throw new SignInError('DISCOVERY_FAILED', server.name, detail)
  }
  return {
    issuer: metadata.issuer,
    metadata,
    indicator: resource && textIn(resource, 'resource'),
    resourceScopes: resource && textsIn(resource, 'scopes_supported'),
  }
}

/**
 * The metadata of an authorization server, checked: that it is whose it should be, and that it does
 * what makes a sign-in safe. `undefined` where it has none.
 *
 * @throws SignInError
 */
export async function findAuthority(
  server: RemoteServer,
  url: string,
  fetch: FetchLike,
): Promise<AuthorityMetadata | undefined> {
  if (!isSafeEndpoint(url, server)) {
    const detail = `Its URL is ${toPlainText(url)}; it must be https.`
    throw new SignInError('UNSAFE_AUTHORIZATION_SERVER', server.name, detail)
  }
  const { buildDiscoveryUrls } = await import('@modelcontextprotocol/sdk/client/auth.js')
  for (const place of buildDiscoveryUrls(url)) {
    const found = await reach(server, () => fetchDocument(fetch, place.url))
    if (found.kind === 'document') return parseMetadata(server, url, found.document)
  }
  return undefined
}

async function findResource(
  server: RemoteServer,
  challenge: Challenge,
  fetch: FetchLike,
): Promise<JsonObject | undefined> {
  const { resourceMetadata } = challenge
  for (const url of placesOf(server, resourceMetadata)) {
    const found = await reach(server, () => fetchDocument(fetch, url))
    if (found.kind === 'none' || textIn(found.document, 'resource') === undefined) continue
    await checkResource(server, String(found.document.resource))
    return found.document
  }
  return undefined
}

function placesOf(server: RemoteServer, named: string | undefined): URL[] {
  const url = new URL(server.url)
  const wellKnown = '/.well-known/oauth-protected-resource'
  const path = url.pathname.replace(/\/$/, '')
  const places = [
    ...(named !== undefined && URL.canParse(named) ? [new URL(named)] : []),
    ...(path === '' ? [] : [new URL(`${wellKnown}${path}${url.search}`, url)]),
    new URL(wellKnown, url),
  ]
  return places.filter(
    (place, index) => places.findIndex(({ href }) => href === place.href) === index,
  )
}

/** Or the tokens for one server would be asked for in the name of another. */
async function checkResource(server: RemoteServer, configuredResource: string): Promise<void> {
  const { checkResourceAllowed } = await import('@modelcontextprotocol/sdk/shared/auth-utils.js')
  const requestedResource = resourceOf(server)
  if (
    URL.canParse(configuredResource) &&
    checkResourceAllowed({ requestedResource, configuredResource })
  ) {
    return
  }
  const detail = `Its metadata speaks of ${toPlainText(configuredResource)}, which is not ${requestedResource}.`
  throw new SignInError('DISCOVERY_FAILED', server.name, detail)
}

async function reach<T>(server: RemoteServer, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new SignInError('DISCOVERY_FAILED', server.name, toNetworkProblem(error), error)
  }
}
