import type { JsonObject } from '@mobius-mcp/protocol'
import { createPropertyNames, type PropertyNames } from './property-names.ts'
import type { Dialect } from './provider-settings.ts'

/** A tool's schema as a vendor takes it, and the way of arguments there and back. */
export interface VendorSchema {
  readonly schema: JsonObject
  /** What could not be said in the schema, in words for the description. */
  readonly note: string | undefined
  /** The names of properties, theirs and the caller's. */
  readonly names: PropertyNames
}

/**
 * Keywords that the Gemini API documents for `parametersJsonSchema`.
 * https://ai.google.dev/api/caching#Schema and https://ai.google.dev/gemini-api/docs/structured-output
 */
const googleKeywords = new Set([
  ...['$id', '$defs', '$ref', '$anchor', 'type', 'format', 'title', 'description', 'enum', 'items'],
  ...['prefixItems', 'minItems', 'maxItems', 'minimum', 'maximum', 'anyOf', 'oneOf', 'properties'],
  ...['additionalProperties', 'required'],
])

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'if',
  'then',
  'else',
  'propertyNames',
])
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const named = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
])
const combinators = ['anyOf', 'oneOf', 'allOf']

/** Makes a schema acceptable. The original stays what arguments are checked against; this one is what the model reads. */
export function toVendorSchema(original: JsonObject, dialect: Dialect): VendorSchema {
  const { schema: root, note } = toObjectSchema(original)
  const names = createPropertyNames(root, dialect)
  const renamed = names.renameSchema(root)
  const { $schema: _dialectOfJsonSchema, ...schema } = renamed
  return { schema: dialect === 'google' ? keepGoogle(schema) : schema, note, names }
}

/** OpenAI and Anthropic want an object at the root, with no choice between schemas there; so the choice is told in words. */
function toObjectSchema(original: JsonObject): { schema: JsonObject; note: string | undefined } {
  const found = combinators.filter((keyword) => Array.isArray(original[keyword]))
  if (found.length === 0) {
    const properties = isObject(original.properties) ? original.properties : {}
    return { schema: { ...original, type: 'object', properties }, note: undefined }
  }
  const rest = Object.fromEntries(Object.entries(original).filter(([key]) => !found.includes(key)))
  const said = Object.fromEntries(found.map((keyword) => [keyword, original[keyword]]))
  const branches = found.flatMap((keyword) => original[keyword] as unknown[]).filter(isObject)
  const properties = Object.assign(
    {},
    ...branches.map((branch) => (isObject(branch.properties) ? branch.properties : {})),
    isObject(original.properties) ? original.properties : {},
  ) as JsonObject
  const note = `The arguments must also match this JSON Schema: ${JSON.stringify(said)}`
  return { schema: { ...rest, type: 'object', properties }, note }
}

function keepGoogle(schema: JsonObject): JsonObject {
  const kept: JsonObject = {}
  const lost: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'const') kept.enum = [value]
    else if (keyword === 'definitions') kept.$defs = mapSchemas('$defs', value, keepGoogle)
    else if (googleKeywords.has(keyword)) kept[keyword] = mapSchemas(keyword, value, keepGoogle)
    else if (!['default', 'examples', '$comment'].includes(keyword)) lost[keyword] = value
  }
  if (typeof kept.$ref === 'string') kept.$ref = kept.$ref.replace('#/definitions/', '#/$defs/')
  if (Object.keys(lost).length === 0) return kept
  const words = typeof kept.description === 'string' ? `${kept.description} ` : ''
  return { ...kept, description: `${words}(JSON Schema: ${JSON.stringify(lost)})` }
}

/** Applies a change to every schema that a keyword holds. */
function mapSchemas(
  keyword: string,
  value: unknown,
  change: (schema: JsonObject) => JsonObject,
): unknown {
  const one = (schema: unknown): unknown => (isObject(schema) ? change(schema) : schema)
  if (single.has(keyword)) return Array.isArray(value) ? value.map(one) : one(value)
  if (lists.has(keyword) && Array.isArray(value)) return value.map(one)
  if (named.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, one(schema)]))
  }
  return value
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
