import { createHash } from 'node:crypto'
import { BearerKey } from '../bearer-key.ts'
import { Secret } from '../secret.ts'

/** A digest of settings, secrets included, that is the same in every process. */
export function digest(settings: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(toPlain(settings)) ?? 'nothing')
    .digest('hex')
}

function toPlain(value: unknown): unknown {
  // Told apart from text: what is a secret now may be shown no more.
  if (value instanceof Secret) return { secret: value.parts() }
  // JSON has no word for the limit that is switched off.
  if (value === Number.POSITIVE_INFINITY) return { off: true }
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  const key = value instanceof BearerKey ? { key: { secret: value.key } } : {}
  return Object.fromEntries(
    Object.entries({ ...value, ...key }).map(([name, member]) => [name, toPlain(member)]),
  )
}
