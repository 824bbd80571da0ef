import { isObject, type JsonObject } from '@mobius-mcp/protocol'

/** Where a call says, in `_meta`, which gateways it came through: opaque ids, the first one first. */
export const hopsKey = 'mobius-mcp.dev/hops'

/** The gateways that a request came through before it came here. */
export function hopsOf(params: JsonObject | undefined): readonly string[] {
  const meta = params?._meta
  const hops = isObject(meta) ? meta[hopsKey] : undefined
  if (!Array.isArray(hops)) return noHops
  return hops.filter((hop) => typeof hop === 'string').slice(-64)
}

const noHops: readonly string[] = []
