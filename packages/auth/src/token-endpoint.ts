import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { FetchLike } from '@mobius-mcp/sandbox'
import type { ClientCredentials, TokenSet } from '@mobius-mcp/state'
import type { AuthorityMetadata } from './authority-metadata.ts'
import { parseObject, textIn } from './documents.ts'
import { toPlainText, withoutSecrets } from './plain-text.ts'

/** An authorization server said no, in OAuth's words. */
export class OAuthRefusal extends Error {
  /** OAuth's name for it, e.g. `invalid_grant`; of an answer that is none of OAuth's, empty. */
  readonly error: string
  /** It may say something else later. */
  readonly temporary: boolean

  constructor(error: string, status: number, message: string) {
    super(message)
    this.name = 'OAuthRefusal'
    this.error = error
    this.temporary = status >= 500 || passing.has(status) || passing.has(error)
  }
}

const passing: ReadonlySet<string | number> = new Set([
  408,
  429,
  'server_error',
  'temporarily_unavailable',
  'slow_down',
])

/** What is asked of an authorization server, and by whom. */
export interface EndpointRequest {
  readonly client: ClientCredentials
  readonly metadata: AuthorityMetadata
  readonly parameters: Readonly<Record<string, string | undefined>>
  readonly fetch: FetchLike
}

/** The tokens in an answer. Whom they belong to and what they are for the caller knows. */
export type IssuedTokens = Pick<TokenSet, 'accessToken' | 'refreshToken' | 'expiresAt' | 'scope'>

/**
 * Asks for tokens.
 *
 * @throws OAuthRefusal when the server says no; what `fetch` throws when it says nothing.
 */
export async function requestTokens(request: EndpointRequest, now: number): Promise<IssuedTokens> {
  const response = await post(request, request.metadata.token_endpoint)
  const text = await response.text()
  // Some answer in a form, and some say no with HTTP 200.
  const answer = parseObject(text) ?? Object.fromEntries(new URLSearchParams(text))
  const accessToken = textIn(answer, 'access_token')
  if (!response.ok || textIn(answer, 'error') !== undefined || accessToken === undefined) {
    throw toRefusal(request, response.status, answer)
  }
  const type = (textIn(answer, 'token_type') ?? 'bearer').toLowerCase()
  if (type === 'dpop' || type === 'mac') {
    throw new OAuthRefusal(
      '',
      response.status,
      `it gave tokens of the type ${type}, which are not supported`,
    )
  }
  return {
    accessToken,
    refreshToken: textIn(answer, 'refresh_token'),
    expiresAt: expiryOf(answer.expires_in, now),
    scope: scopeOf(answer.scope),
  }
}

/** Asks for a token to be forgotten. Resolves with whether the server says that it is. */
export async function revokeToken(request: EndpointRequest, endpoint: string): Promise<boolean> {
  const response = await post(request, endpoint)
  await response.body?.cancel()
  return response.ok
}

async function post(request: EndpointRequest, endpoint: string): Promise<Response> {
  const { selectClientAuthMethod } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const { client, metadata, parameters, fetch } = request
  const supported = [...(metadata.token_endpoint_auth_methods_supported ?? [])]
  const method = selectClientAuthMethod(
    {
      client_id: client.id,
      ...(client.secret === undefined ? {} : { client_secret: client.secret }),
      ...(client.method === undefined ? {} : { token_endpoint_auth_method: client.method }),
    },
    supported,
  )
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) body.set(name, value)
  }
  const headers = new Headers({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  })
  if (method === 'client_secret_basic') headers.set('authorization', basic(client))
  else body.set('client_id', client.id)
  if (method === 'client_secret_post' && client.secret !== undefined) {
    body.set('client_secret', client.secret)
  }
  return await fetch(endpoint, {
    method: 'POST',
    headers,
    body: body.toString(),
    redirect: 'manual',
  })
}

/** RFC 6749, section 2.3.1: each half as in a form, then both in base64. */
function basic({ id, secret = '' }: ClientCredentials): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}

function toRefusal(request: EndpointRequest, status: number, answer: JsonObject): OAuthRefusal {
  // Some nest it.
  const inner = isObject(answer.error) ? answer.error : answer
  const error = textIn(inner, 'error') ?? textIn(inner, 'code') ?? ''
  const description = textIn(inner, 'error_description') ?? textIn(inner, 'message') ?? ''
  const { client, parameters } = request
  // A server may repeat what it was sent.
  const secrets = [client.secret, ...secretParameters.map((name) => parameters[name])]
  const said = [error, description].filter((text) => text !== '').join(': ')
  const shown = toPlainText(withoutSecrets(said, secrets))
  return new OAuthRefusal(error, status, `it answered HTTP ${status}${shown && ` (${shown})`}`)
}

const secretParameters = ['code', 'code_verifier', 'refresh_token', 'token']

/** Renewed a little early, so that no call is on its way with a token that has just expired. */
const margin = 30_000

function expiryOf(value: unknown, now: number): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) return undefined
  const lifetime = seconds * 1000
  return now + lifetime - Math.min(margin, lifetime / 10)
}

function scopeOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join(' ')
  return typeof value === 'string' && value !== '' ? value : undefined
}
