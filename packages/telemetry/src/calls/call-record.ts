import { isObject } from '@mobius-mcp/protocol'
import { type CallEvent, endOf, isCallEvent } from '../call-event.ts'

/** Why calls are missing. */
export type GapReason =
  /** They ended faster than they could be written. */
  | 'overflow'
  /** They could not be written. */
  | 'unwritten'
  /** The process ended without closing its record: what it had not written yet is missing. */
  | 'killed'
  /** A line cannot be read. */
  | 'damaged'

/** A place where calls are missing from the record. */
export interface Gap {
  readonly reason: GapReason
  /** How many are missing; absent where nobody knows. */
  readonly count?: number | undefined
  /** The time of the missing calls, or the last time before them: milliseconds since the epoch. */
  readonly from: number
  readonly until: number
}

/** What stands in the record of calls. */
export type CallRecord =
  | { readonly kind: 'call'; readonly event: CallEvent }
  | { readonly kind: 'gap'; readonly gap: Gap }

/** How a file of the record begins: which process writes it. */
export interface Opening {
  readonly at: number
  readonly process: number
  readonly host: string
}

/** What a line of a file may say. */
export type Line =
  | CallRecord
  | { readonly kind: 'open'; readonly opening: Opening }
  | { readonly kind: 'close' }

/** When what it tells happened. */
export function timeOf(record: CallRecord): number {
  return record.kind === 'call' ? endOf(record.event) : record.gap.until
}

/** The line that says that calls are missing. */
export function encodeGap(gap: Gap): string {
  return `${JSON.stringify({ record: 'gap', ...gap })}\n`
}

/** The line with which a file begins. */
export function encodeOpening(opening: Opening): string {
  return `${JSON.stringify({ record: 'open', version: 1, ...opening })}\n`
}

/** The line that says that nothing more will come of this process. */
export function encodeClosing(at: number): string {
  return `${JSON.stringify({ record: 'close', at })}\n`
}

/** Reads a line; `undefined` for one that this version cannot read. */
export function decodeLine(text: string): Line | undefined {
  const value = parse(text)
  if (!isObject(value)) return undefined
  if (isCallEvent(value)) return { kind: 'call', event: value }
  if (value.record === 'gap' && isGap(value)) return { kind: 'gap', gap: toGap(value) }
  if (value.record === 'close') return { kind: 'close' }
  if (value.record === 'open' && isOpening(value)) return { kind: 'open', opening: value }
  return undefined
}

function toGap({ reason, count, from, until }: Gap): Gap {
  return { reason, count, from, until }
}

function isGap(value: object): value is Gap {
  const { reason, count, from, until } = value as Partial<Gap>
  return (
    typeof reason === 'string' &&
    (count === undefined || Number.isFinite(count)) &&
    Number.isFinite(from) &&
    Number.isFinite(until)
  )
}

function isOpening(value: object): value is Opening {
  const { at, process, host } = value as Partial<Opening>
  return Number.isFinite(at) && Number.isInteger(process) && typeof host === 'string'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
