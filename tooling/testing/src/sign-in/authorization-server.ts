import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Provider, {
  type AdapterFactory,
  type ClientMetadata,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { createMemoryAdapter } from './memory-adapter.ts'

/** What the person in front of the browser does. */
type Person = 'agrees' | 'refuses'

export interface AuthorizationServerOptions {
  /** Whether clients may register themselves; they may by default. */
  readonly registration?: boolean
  readonly clients?: readonly ClientMetadata[]
  /** Whether tokens can be revoked; they can by default. */
  readonly revocation?: boolean
  /** Documents that clients are known by, under their URLs. */
  readonly clientDocuments?: Readonly<Record<string, object>>
  /** `false`: its metadata is found as OpenID Connect has it alone. */
  readonly oauthMetadata?: boolean
  /** Clients have to have a secret. */
  readonly secretMethodsOnly?: boolean
  /** Changes the metadata that it shows. */
  readonly metadata?: (document: Record<string, unknown>) => object
}

/** What the server was asked, and what it answers instead of its own where a test says so. */
export type Interceptor = (
  request: IncomingMessage,
  response: ServerResponse,
) => boolean | Promise<boolean>

export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string
  readonly provider: Provider
  /** `POST /token` and the like, in order. */
  readonly requests: string[]
  /** The grant types that tokens were asked with, and the resource that they were asked for. */
  readonly grants: { type: string; resource: unknown }[]
  /** Where browsers were to come back to, in order. */
  readonly redirects: string[]
  /** Everything that nobody else may see. */
  readonly secrets: Set<string>
  /** What kinds of it there were. */
  readonly kinds: Set<string>
  person: Person
  /** The scopes that the person agrees to, where it is not all. */
  grantsAtMost: readonly string[] | undefined
  /** Whoever signs in from now on has to do it again when the tokens expire. */
  withoutRefreshTokens: boolean
  /** As an operator does who ends all sign-ins. */
  revokeAll(): void
  /** As it happens where registrations are not kept. */
  forgetClients(): void
  /** Comes first; resolves with whether it has answered. */
  intercept: Interceptor | undefined
  count(request: string): number
}

/** `oidc-provider` on the loopback interface, with a person who agrees to everything. */
export async function openAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const kept = createMemoryAdapter()
  const issues = () => !server.withoutRefreshTokens
  const provider = createProvider(issuer, options, { adapter: kept.adapter, issues })
  const server: AuthorizationServer = {
    issuer,
    provider,
    requests: [],
    grants: [],
    redirects: [],
    secrets: new Set(),
    kinds: new Set(),
    person: 'agrees',
    grantsAtMost: undefined,
    withoutRefreshTokens: false,
    revokeAll: () => kept.drop(/^(AccessToken|RefreshToken|Grant) /),
    forgetClients: () => kept.drop(/^Client /),
    intercept: undefined,
    count: (request) => server.requests.filter((each) => each === request).length,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  recordSecrets(server)
  const answer = provider.callback()
  http.on('request', async (request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer)
    server.requests.push(`${request.method} ${pathname}`)
    if (await server.intercept?.(request, response)) return
    if (pathname.startsWith('/interaction/')) return await interact(server, request, response)
    if (isHidden(pathname, options)) return void response.writeHead(404).end()
    await answer(request, response)
  })
  return server
}

function isHidden(pathname: string, { oauthMetadata = true }: AuthorizationServerOptions): boolean {
  return !oauthMetadata && pathname === '/.well-known/oauth-authorization-server'
}

let keys: JsonWebKey | undefined

interface Inside {
  readonly adapter: AdapterFactory
  /** Whether refresh tokens are issued. */
  issues(): boolean
}

function createProvider(
  issuer: string,
  options: AuthorizationServerOptions,
  { adapter, issues }: Inside,
): Provider {
  const { clients = [], clientDocuments = {} } = options
  keys ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const provider = new Provider(issuer, {
    adapter,
    clients: [...clients],
    jwks: { keys: [{ ...keys, use: 'sig', alg: 'ES256' }] as never },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: ['of no use to anybody'] },
    scopes: ['openid', 'offline_access', 'notes:read', 'notes:write'],
    issueRefreshToken: issues,
    rotateRefreshToken: true,
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: 3600, RefreshToken: 86_400, Grant: 86_400, Interaction: 600, Session: 600 },
    ...(options.secretMethodsOnly ? { clientAuthMethods: ['client_secret_basic'] } : {}),
    fetch: async (url) => Response.json(clientDocuments[String(url)] ?? {}),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: options.registration ?? true },
      revocation: { enabled: options.revocation ?? true, allowedPolicy: () => true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'notes:read notes:write',
          accessTokenFormat: 'opaque',
          accessTokenTTL: 3600,
        }),
      },
    },
  })
  provider.use(async (context, next) => {
    await next()
    if (!context.path.includes('/.well-known/') || !options.metadata) return
    context.body = options.metadata(context.body as Record<string, unknown>)
  })
  return provider
}

/** The person signs in as `ann`, and agrees to what is asked for; or does not. */
async function interact(
  { provider, person, grantsAtMost }: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (person === 'refuses') {
    const refusal = { error: 'access_denied', error_description: 'The person said no' }
    return await provider.interactionFinished(request, response, refusal)
  }
  const { params, session } = await provider.interactionDetails(request, response)
  const accountId = session?.accountId ?? 'ann'
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
  const scope = String(params.scope ?? '')
  grant.addOIDCScope(scope)
  const { resource } = params
  if (typeof resource === 'string') {
    grant.addResourceScope(resource, scope)
    const words = scope.split(' ').filter((word) => grantsAtMost?.includes(word) === false)
    if (words.length > 0) grant.rejectResourceScope(resource, words.join(' '))
  }
  const consent = { grantId: await grant.save() }
  await provider.interactionFinished(request, response, { login: { accountId }, consent })
}

function recordSecrets(server: AuthorizationServer): void {
  const { provider, secrets, grants, redirects, kinds } = server
  const keep = (values: Record<string, unknown>) => {
    for (const kind of secretKinds) {
      const value = values[kind]
      if (typeof value !== 'string' || value === '') continue
      secrets.add(value)
      kinds.add(kind)
    }
  }
  const onGrant = ({ body, oidc: { params = {}, client } }: KoaContextWithOIDC) => {
    if (typeof params.redirect_uri === 'string') redirects.push(params.redirect_uri)
    grants.push({ type: String(params.grant_type), resource: params.resource })
    keep(params)
    keep(body as Record<string, unknown>)
    keep({ client_secret: client?.clientSecret })
  }
  provider.on('grant.success', onGrant)
  provider.on('grant.error', onGrant)
}

const secretKinds = ['access_token', 'client_secret', 'code', 'code_verifier', 'refresh_token']

/** Answers once as a broken server does. */
export function failWith(
  path: string,
  status: number,
  body: string | ((request: string) => string) = '',
): Interceptor {
  return async (request, response) => {
    if (request.url !== path) return false
    const sent = await text(request)
    const content = typeof body === 'string' ? body : body(sent)
    response.writeHead(status, { 'content-type': 'application/json' }).end(content)
    return true
  }
}
