import { isAuthNeeded } from './auth-needed.ts'
import { isProtocolError, ProtocolError } from './errors.ts'
import type { Outlet } from './incoming.ts'
import type { JsonObject, RequestId } from './message.ts'
import { isObject } from './parse-message.ts'
import { Pending, type PendingOwner } from './pending.ts'
import type { RequestOptions } from './session.ts'

/** A request that left over an outlet: what is said about it later goes the same way. */
export class SentRequest extends Pending {
  readonly outlet: Outlet | undefined
  readonly relatedTo: RequestId | undefined

  constructor(
    owner: PendingOwner,
    id: RequestId,
    method: string,
    options: RequestOptions,
    outlet: Outlet | undefined,
  ) {
    super(owner, id, method, options)
    this.outlet = outlet
    this.relatedTo = options.relatedTo
  }
}

/** What the wire says of a request that it could not carry, with what the request was for. */
export function explainFailure(pending: SentRequest, error: unknown): ProtocolError {
  // It names the server itself, and holds the sign-in that waits.
  if (isAuthNeeded(error)) return error
  const reason = isObject(error) || error instanceof Error ? String(error.message) : String(error)
  const known = isProtocolError(error) && error.code !== 'REMOTE' ? error.code : undefined
  // What JSON cannot hold never left.
  const unknown = error instanceof TypeError ? 'INTERNAL_ERROR' : 'CONNECTION_CLOSED'
  return new ProtocolError(known ?? unknown, `${pending.label}: ${reason}`, { cause: error })
}

/** The progress token of a request is its id: nothing to allocate, nothing to map. */
export function withMeta(params: JsonObject, id: RequestId, options: RequestOptions): JsonObject {
  const meta = params._meta
  if (options.onProgress) {
    const given = isObject(meta) ? meta : undefined
    return { ...params, _meta: { ...given, ...options.meta, progressToken: id } }
  }
  if (!(options.meta || (isObject(meta) && 'progressToken' in meta))) return params
  // A token belongs to one connection; the caller's own must not leave through ours.
  const { progressToken: _, ...rest } = isObject(meta) ? meta : {}
  return { ...params, _meta: { ...rest, ...options.meta } }
}
