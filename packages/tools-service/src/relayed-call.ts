import { createCallId, type JsonObject, type MessageContext } from '@mobius-mcp/protocol'
import { Call, type CallHost } from './call.ts'
import { hopsOf } from './hops.ts'

/** What a client's request becomes inside. */
export interface RelayedRequest {
  readonly server: string
  readonly method: string
  readonly name: string
  readonly params: JsonObject
  /** One of several calls that the one request becomes: each has an id of its own. */
  readonly oneOfSeveral?: boolean | undefined
}

/** A client's own call, passed on to the server it is meant for. */
export function relayedCall(host: CallHost, context: MessageContext, to: RelayedRequest): Call {
  const { id, parent, origin, depth } = context.call
  const { server, method, name, params, oneOfSeveral } = to
  return new Call(host, context, {
    id: oneOfSeveral ? createCallId() : id,
    parent,
    origin,
    depth,
    hops: hopsOf(params),
    server,
    method,
    name,
    params,
  })
}
