import { ProtocolError } from './errors.ts'

/**
 * Freezes a value all the way down and insists that it is JSON, so that nothing works in process
 * that would not over a wire.
 *
 * @throws ProtocolError `INTERNAL_ERROR`, naming the place of what JSON cannot hold: `undefined` members, dates, big
 * integers, functions, non-finite numbers, cycles.
 */
export function freezeJson<T>(value: T, place: string): T {
  freeze(value, place, new Set())
  return value
}

function freeze(value: unknown, place: string, ancestors: Set<object>): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return
    case 'number':
      if (!Number.isFinite(value)) throw notJson(place, String(value))
      return
    case 'object':
      if (value !== null) freezeObject(value, place, ancestors)
      return
    default:
      throw notJson(place, typeof value)
  }
}

function freezeObject(value: object, place: string, ancestors: Set<object>): void {
  if (ancestors.has(value)) throw notJson(place, 'a cycle')
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    throw notJson(place, value.constructor?.name ?? 'an object with a prototype')
  }
  ancestors.add(value)
  for (const key of Object.keys(value)) {
    freeze((value as Record<string, unknown>)[key], `${place}.${key}`, ancestors)
  }
  ancestors.delete(value)
  Object.freeze(value)
}

function notJson(place: string, found: string): ProtocolError {
  return new ProtocolError(
    'INTERNAL_ERROR',
    `${place} is not JSON: found ${found}. What passes between servers must survive JSON.stringify unchanged.`,
  )
}
