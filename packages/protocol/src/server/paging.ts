import { ProtocolError } from '../errors.ts'
import type { JsonObject } from '../message.ts'

/** One page of a list, as a list method answers it. @throws ProtocolError `INVALID_PARAMS` for a cursor that is not ours. */
export function page(
  member: string,
  items: readonly JsonObject[],
  params: JsonObject,
  pageSize: number,
): JsonObject {
  const start = offsetOf(params.cursor, items.length)
  const end = start + pageSize
  const result: JsonObject = {
    [member]: start === 0 && end >= items.length ? items : items.slice(start, end),
  }
  if (end < items.length) result.nextCursor = `after-${end}`
  return result
}

function offsetOf(cursor: unknown, length: number): number {
  if (cursor === undefined) return 0
  const match = typeof cursor === 'string' ? /^after-(\d+)$/.exec(cursor) : undefined
  const offset = Number(match?.[1])
  if (!(offset <= length)) {
    throw new ProtocolError(
      'INVALID_PARAMS',
      `Invalid cursor: expected the nextCursor of an earlier page, received ${JSON.stringify(cursor)}`,
    )
  }
  return offset
}
