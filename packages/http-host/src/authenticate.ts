import type { Principal } from '@mobius-mcp/protocol'
import type { HttpRequest, IncomingRequest } from './http-request.ts'
import { refuse } from './refusals.ts'

/** Why a request is not let in, in the words of RFC 6750 and RFC 9728. */
export interface Challenge {
  /** The `WWW-Authenticate` header, e.g. `Bearer error="insufficient_scope", scope="files"`. */
  readonly challenge: string
  /** 403 where signing in again would not help by itself. */
  readonly status?: 401 | 403 | undefined
  /** What to do, for a person. */
  readonly message?: string | undefined
}

/**
 * Says who is calling. `undefined` lets nobody in, with the usual challenge; what it throws is our
 * fault, not the caller's.
 */
export type Authenticate = (
  request: HttpRequest,
) => Principal | Challenge | undefined | Promise<Principal | Challenge | undefined>

/** Turns away a request that was not let in. */
export function refuseUnauthenticated(
  request: IncomingRequest,
  challenge: Challenge | undefined,
): Response {
  const given = request.header('authorization') !== undefined
  const header = challenge?.challenge ?? (given ? 'Bearer error="invalid_token"' : 'Bearer')
  const fallback = given
    ? 'The credentials in the Authorization header are not accepted here.'
    : 'Authentication is required: send the header "Authorization: Bearer <key>".'
  return refuse(
    challenge?.status === 403 ? 'FORBIDDEN' : 'UNAUTHENTICATED',
    challenge?.message ?? fallback,
    { headers: { 'www-authenticate': header } },
  )
}
