import { createHash } from 'node:crypto'
import type { JsonObject } from '@mobius-mcp/protocol'
import type { Dialect } from './provider-settings.ts'

/**
 * What names of properties may be. Google: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1beta1/FunctionDeclaration;
 * Anthropic's API refuses others by this pattern, and the OpenAI dialects lose nothing by it.
 */
const accepted: Readonly<Record<Dialect, RegExp>> = {
  google: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  anthropic: /^[A-Za-z0-9_.-]{1,64}$/,
  'openai-chat': /^[A-Za-z0-9_.-]{1,64}$/,
  'open-responses': /^[A-Za-z0-9_.-]{1,64}$/,
  'openai-responses': /^[A-Za-z0-9_.-]{1,64}$/,
}

/** Names of properties, changed where a vendor would refuse them. */
export interface PropertyNames {
  renameSchema(schema: JsonObject): JsonObject
  toVendor(value: JsonObject): JsonObject
  fromVendor(value: JsonObject): JsonObject
}

/**
 * Finds the names that must change, anywhere in a schema. Each becomes one that nobody else uses, so that arguments are
 * mapped by name alone, whatever references lead to them.
 */
export function createPropertyNames(schema: JsonObject, dialect: Dialect): PropertyNames {
  const vendorNames = new Map<string, string>()
  collect(schema, accepted[dialect], vendorNames)
  if (vendorNames.size === 0) return unchanged
  const names = new Map([...vendorNames].map(([name, vendorName]) => [vendorName, name]))
  return {
    renameSchema: (value) => renameIn(value, vendorNames) as JsonObject,
    toVendor: (value) => renameKeys(value, vendorNames) as JsonObject,
    fromVendor: (value) => renameKeys(value, names) as JsonObject,
  }
}

const same = (value: JsonObject): JsonObject => value
const unchanged: PropertyNames = { renameSchema: same, toVendor: same, fromVendor: same }

function collect(value: unknown, fine: RegExp, into: Map<string, string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, fine, into)
  if (!isObject(value)) return
  for (const [keyword, inner] of Object.entries(value)) {
    if (keyword === 'properties' && isObject(inner)) {
      for (const name of Object.keys(inner)) if (!fine.test(name)) into.set(name, shorten(name))
    }
    collect(inner, fine, into)
  }
}

function renameIn(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renameIn(item, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([keyword, inner]) => {
      if (keyword === 'required' && Array.isArray(inner)) {
        return [keyword, inner.map((name) => names.get(String(name)) ?? name)]
      }
      const renamed = renameIn(inner, names)
      if (keyword !== 'properties' || !isObject(renamed)) return [keyword, renamed]
      return [keyword, mapKeys(renamed, names)]
    }),
  )
}

function renameKeys(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, names))
  if (!isObject(value)) return value
  const inner = Object.entries(value).map(([key, item]) => [key, renameKeys(item, names)])
  return mapKeys(Object.fromEntries(inner), names)
}

function mapKeys(value: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [names.get(key) ?? key, item]),
  )
}

function shorten(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `p_${name.replaceAll(/[^A-Za-z0-9_]/g, '_').slice(0, 50)}_${hash}`
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
