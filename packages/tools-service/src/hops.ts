import { isObject, type JsonObject } from '@mobius-mcp/protocol'

/**
 * Where a request says, in `_meta`, which gateways it came through: opaque ids, the first one first.
 * A thing on a list that one gateway gives another says in the same way which gateways it lies behind.
 */
export const hopsKey = 'mobius-mcp.dev/hops'

/** What came straight from whoever made it. */
export const noHops: readonly string[] = []

/** The gateways that a request came through before it came here, or that a listed thing lies behind. */
export function hopsOf(carrier: JsonObject | undefined): readonly string[] {
  const meta = carrier?._meta
  const hops = isObject(meta) ? meta[hopsKey] : undefined
  if (!Array.isArray(hops)) return noHops
  return hops.filter((hop) => typeof hop === 'string').slice(-64)
}

/** The listed thing without its hops: they are between gateways. */
export function withoutHops(item: JsonObject): JsonObject {
  const meta = item._meta
  if (!isObject(meta) || !Object.hasOwn(meta, hopsKey)) return item
  const { [hopsKey]: _, ...others } = meta
  const { _meta, ...rest } = item
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest
}

/** The listed thing with the gateways that it lies behind. */
export function withHops(item: JsonObject, hops: readonly string[]): JsonObject {
  const meta = isObject(item._meta) ? item._meta : undefined
  return { ...item, _meta: { ...meta, [hopsKey]: hops } }
}
