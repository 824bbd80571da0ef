import type { JsonObject } from '../message.ts'

/** What went wrong at one place of a value. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/**
 * Any Standard Schema (https://standardschema.dev), e.g. a zod 4 schema. Where its library can also
 * say it as JSON Schema, as zod does, nothing more is needed; else say it with `withJsonSchema`.
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: JsonSchemaConverter | undefined
  }
}

/** Says a schema as JSON Schema. */
export interface JsonSchemaConverter {
  readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown>
  readonly output: (options: { target: 'draft-2020-12' }) => Record<string, unknown>
}

/** What a schema makes of its input. */
export type SchemaOutput<S extends Schema> = NonNullable<S['~standard']['types']>['output']

/** What a schema takes. */
export type SchemaInput<S extends Schema> = NonNullable<S['~standard']['types']>['input']

/** Gives a schema the JSON Schema to show for it, where its library has none or a different one is wanted. */
export function withJsonSchema<S extends Schema>(
  schema: S,
  jsonSchema: JsonObject,
): Schema<SchemaInput<S>, SchemaOutput<S>> {
  const standard = schema['~standard'] as Schema<SchemaInput<S>, SchemaOutput<S>>['~standard']
  return {
    '~standard': {
      version: 1,
      vendor: standard.vendor,
      validate: (value) => standard.validate(value),
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
  }
}

/**
 * A plain JSON Schema as a schema: shown exactly as it is, and accepting any object. Use it where the
 * tool checks its arguments itself.
 */
export function uncheckedSchema(jsonSchema: JsonObject): Schema<JsonObject> {
  return {
    '~standard': {
      version: 1,
      vendor: 'mobius',
      validate: (value) => ({ value: value as JsonObject }),
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
  }
}

/**
 * A schema as JSON Schema 2020-12 with an object at its root, as MCP 2025-11-25 wants it.
 *
 * @throws TypeError when the schema cannot be said, or is no object.
 */
export function toJsonSchema(schema: Schema, side: 'input' | 'output', place: string): JsonObject {
  const converter = schema['~standard'].jsonSchema
  if (!converter) {
    const { vendor } = schema['~standard']
    throw new TypeError(
      `${place}: the ${vendor} schema cannot be said as JSON Schema. Use a library with Standard JSON Schema (zod 4.2 or later), or withJsonSchema().`,
    )
  }
  const jsonSchema = converter[side]({ target: 'draft-2020-12' })
  if (jsonSchema.type !== 'object') {
    throw new TypeError(
      `${place}: expected a schema whose root is an object, received ${JSON.stringify(jsonSchema.type ?? jsonSchema)}`,
    )
  }
  return jsonSchema
}

/** The issues as one line: `city: expected string, received number; days: …`. */
export function formatIssues(issues: readonly SchemaIssue[]): string {
  return issues
    .map(({ path = [], message }) => {
      const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
      return keys.length > 0 ? `${keys.join('.')}: ${message}` : message
    })
    .join('; ')
}
