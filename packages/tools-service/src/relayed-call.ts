import type { CallOptions, JsonObject, MessageContext } from '@mobius-mcp/protocol'
import { Call, type CallHost } from './call.ts'
import { hopsOf } from './hops.ts'

/** A client's own call, passed on to the server it is meant for. */
export function relayedCall(
  host: CallHost,
  context: MessageContext,
  to: { server: string; method: string; name: string; params: JsonObject },
  options?: CallOptions,
): Call {
  const { id, parent, origin, depth } = context.call
  const { server, method, name, params } = to
  return new Call(
    host,
    context,
    { id, parent, origin, depth, hops: hopsOf(params), server, method, name, params },
    options,
  )
}
