import { StateError } from './errors.ts'

/** A part of a list. */
export interface Page<Entry> {
  readonly entries: readonly Entry[]
  /** Where the rest begins; absent where there is none. */
  readonly next?: string | undefined
}

/** A place in a list that is ordered by time and, within it, by id. */
export interface Place {
  readonly at: number
  readonly id: string
}

/** A place as a cursor. */
export function toCursor({ at, id }: Place): string {
  return `${at}.${id}`
}

/** @throws StateError `CURSOR_INVALID`. */
export function fromCursor(cursor: string): Place {
  const [, at, id] = /^(\d{1,16})\.(.*)$/s.exec(cursor) ?? []
  if (at !== undefined && id !== undefined) return { at: Number(at), id }
  throw new StateError({
    code: 'CURSOR_INVALID',
    message: `The page could not be read: the cursor ${cursor.slice(0, 80)} was not given out here. Begin without one.`,
  })
}

/** Makes a page of what was found with a limit of one more than fits. */
export function toPage<Entry>(
  found: readonly Entry[],
  limit: number,
  placeOf: (entry: Entry) => Place,
): Page<Entry> {
  const entries = found.slice(0, limit)
  const last = entries.at(-1)
  return last && found.length > limit ? { entries, next: toCursor(placeOf(last)) } : { entries }
}

/** Sorts the latest first. */
export function comparePlaces(a: Place, b: Place): number {
  return b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}
