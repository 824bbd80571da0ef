import { isObject, type JsonObject } from '@mobius-mcp/protocol'

/** Applies a JSON Merge Patch: members of objects are merged, `null` removes, all else replaces. RFC 7396. */
export function applyPatch(value: JsonObject, patch: JsonObject): JsonObject {
  // Null prototype semantics for "__proto__": a member like any other, never a prototype.
  const merged = new Map(Object.entries(value))
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name)
    else if (isObject(change)) {
      const before = merged.get(name)
      merged.set(name, applyPatch(isObject(before) ? before : {}, change))
    } else merged.set(name, change)
  }
  return Object.fromEntries(merged)
}

/** The patch that leads from one value to another; `undefined` where they are the same. A new `null` cannot be told from a removal. */
export function diffPatch(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const changes: [string, unknown][] = []
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) changes.push([name, null])
  }
  for (const [name, value] of Object.entries(after)) {
    const known = Object.hasOwn(before, name) ? before[name] : undefined
    const change = Object.hasOwn(before, name) ? differenceOf(known, value) : { to: value }
    if (change) changes.push([name, change.to])
  }
  return changes.length > 0 ? Object.fromEntries(changes) : undefined
}

function differenceOf(before: unknown, after: unknown): { to: unknown } | undefined {
  if (before === after) return undefined
  if (isObject(before) && isObject(after)) {
    const patch = diffPatch(before, after)
    return patch && { to: patch }
  }
  return sameJson(before, after) ? undefined : { to: after }
}

function sameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length &&
      left.every((item, index) => differenceOf(item, right[index]) === undefined)
    )
  }
  return left === right
}
