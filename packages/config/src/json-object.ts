import type { JsonObject } from '@mobius-mcp/protocol'

/** A map of what is JSON already, by its type; anything else is an empty one. */
export function toJsonObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {}
}
