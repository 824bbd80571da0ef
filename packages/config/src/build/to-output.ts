import type { JsonObject } from '@mobius-mcp/protocol'
import type { AgentOutput } from '../agent-settings.ts'
import { type FieldName, readFieldName } from '../field-name.ts'
import type { FieldEntry, FieldsEntry, OutputEntry } from '../schema/config-file.ts'

/** The shape of an answer as a JSON Schema. */
export function toOutput({ name, description, fields, schema }: OutputEntry): AgentOutput {
  return {
    schema: schema ?? toSchema(fields ?? {}),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  }
}

/** Fields as the schema of an object that has no others. */
function toSchema(fields: FieldsEntry): JsonObject {
  const read = Object.entries(fields).map(([key, written]) => ({
    field: readFieldName(key) ?? { name: key, type: 'string' as const, list: false },
    entry: typeof written === 'string' ? { description: written } : written,
  }))
  return {
    type: 'object',
    properties: Object.fromEntries(
      read.map(({ field, entry }) => [field.name, schemaOf(field, entry)]),
    ),
    required: read.filter(({ entry }) => entry.required ?? true).map(({ field }) => field.name),
    additionalProperties: false,
  }
}

function schemaOf(
  { type, list, choices }: FieldName,
  { description, fields }: FieldEntry,
): JsonObject {
  const item: JsonObject = fields
    ? toSchema(fields)
    : { type, ...(choices && { enum: [...choices] }) }
  const value: JsonObject = list ? { type: 'array', items: item } : item
  return description === undefined ? value : { ...value, description }
}
