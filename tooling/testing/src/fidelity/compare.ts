import { expect } from 'vitest'
import type { JsonObject, Recorded } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'

/** The `_meta` keys a gateway may add to a request under its own name. */
const ownPrefix = 'mobius-mcp.dev/'

/** One text per JSON value, whatever the order of its members: its differences read well. */
export function toCanonical(value: unknown): string {
  return JSON.stringify(sorted(value), null, 1) ?? 'undefined'
}

/** Expects two JSON values to be the same in everything but the order of members. */
export function expectSame(actual: unknown, expected: unknown): void {
  expect(toCanonical(actual)).toBe(toCanonical(expected))
}

/** A message's parameters without what belongs to a connection: progress token and the gateway's own keys. */
export function toCarried(params: unknown): unknown {
  if (params === undefined) {
    return undefined
  }
  const { _meta: meta, progressToken: _, ...rest } = asObject(params)
  const carried = Object.entries(asObject(meta)).filter(
    ([key]) => key !== 'progressToken' && !key.startsWith(ownPrefix),
  )
  return carried.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(carried) }
}

/** Parameters with the tool's or prompt's name as the other side calls it. */
export function withName(
  method: string,
  params: JsonObject,
  rename: (name: string) => string,
): JsonObject {
  if (method === 'tools/call' || method === 'prompts/get') {
    return { ...params, name: rename(String(params.name)) }
  }
  const ref = asObject(params.ref)
  if (method === 'completion/complete' && ref.type === 'ref/prompt') {
    return { ...params, ref: { ...ref, name: rename(String(ref.name)) } }
  }
  return params
}

/** The parameters, as far as they are carried, of the messages of one method in one direction. */
export function carriedBy(
  records: readonly Recorded[],
  direction: Recorded['direction'],
  method: string,
): unknown[] {
  return records
    .filter((record) => record.direction === direction && record.message.method === method)
    .map(({ message }) => toCarried(message.params))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted)
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const)
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  return value
}
