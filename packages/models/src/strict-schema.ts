import type { JsonObject } from '@mobius-mcp/protocol'

/** Keywords of which OpenAI's strict mode knows nothing, or that it forbids. */
const forbidden = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
  'oneOf',
]

/**
 * Whether OpenAI's strict mode takes a schema as it is: every object closed, and all its properties required. Any other is sent
 * without the promise instead of being changed, since an optional property that becomes required changes what answers mean.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrictSchema(schema: JsonObject): boolean {
  return schema.type === 'object' && !Array.isArray(schema.anyOf) && isStrict(schema)
}

function isStrict(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isStrict)
  if (typeof value !== 'object' || value === null) return true
  const schema = value as JsonObject
  if (forbidden.some((keyword) => keyword in schema)) return false
  if (typeof schema.properties === 'object' && schema.properties !== null) {
    const names = Object.keys(schema.properties)
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
    if (schema.additionalProperties !== false) return false
    if (!names.every((name) => required.includes(name))) return false
    if (!Object.values(schema.properties).every(isStrict)) return false
  } else if (schema.type === 'object') {
    return false
  }
  const { properties: _checked, enum: _values, const: _value, default: _default, ...rest } = schema
  return Object.values(rest).every(isStrict)
}
