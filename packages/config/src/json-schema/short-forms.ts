import type { JsonObject } from '@mobius-mcp/protocol'
import { toJsonObject } from '../json-object.ts'
import { foreignServerKeys } from '../shapes/foreign-keys.ts'
import {
  laterKeys,
  laterPublishKeys,
  laterServerKeys,
  publishLists,
} from '../shapes/nanobot-keys.ts'
import { nanobotModels } from '../shapes/section-keys.ts'

// The schema that checks files sees them after short forms were written out and references put in.
// An editor sees what people write.

const anyReference = { type: 'string', pattern: String.raw`\$\{` }
const scalar = { type: ['string', 'number', 'boolean'] }

/** Durations, sizes and such: the kinds of value that are read from text. */
export const durationSchema: JsonObject = {
  anyOf: [
    { type: 'number', exclusiveMinimum: 0 },
    {
      type: 'string',
      pattern: String.raw`^\s*(?:\d+(?:\.\d+)?\s*(?:ms|s|m|h|d|MS|S|M|H|D)?|off)\s*$`,
    },
    anyReference,
  ],
}

/** One of a few words, or a variable that holds one. */
export function orReference(schema: JsonObject): JsonObject {
  return { anyOf: [schema, anyReference] }
}

/** Texts for a process or a server: numbers and booleans are taken as they were written. */
export function listOfScalars(): JsonObject {
  return { type: 'array', items: scalar }
}

export function mapOfScalars(): JsonObject {
  return { type: 'object', additionalProperties: scalar }
}

/** The whole file. */
export function fileForm(schema: JsonObject): JsonObject {
  const { required: _, properties, ...rest } = schema
  const path = { type: 'string' }
  return {
    ...rest,
    properties: {
      $schema: { type: 'string' },
      ...toJsonObject(properties),
      extends: { anyOf: [path, { type: 'array', items: path }] },
      profiles: { type: 'object', additionalProperties: { $ref: '#' } },
      [nanobotModels]: {
        description: 'The providers of models, as nanobot calls them.',
        $ref: '#/properties/models/properties/providers',
      },
      inputs: { type: 'array', description: 'What VS Code asks for: a variable INPUT_<ID> here.' },
      ...withoutEffect(laterKeys),
    },
  }
}

/** One server. `null` takes away what an earlier file says; a later file may say a part. */
export function serverForm(schema: JsonObject): JsonObject {
  const forms = Array.isArray(schema.oneOf) ? schema.oneOf.map(toJsonObject) : []
  return { anyOf: [...forms.map(oneServer), { type: 'null' }] }
}

function oneServer({ required: _, properties, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    properties: {
      ...toJsonObject(properties),
      disabled: { type: 'boolean' },
      ...withoutEffect(foreignServerKeys),
      ...withoutEffect(laterServerKeys),
    },
  }
}

/** How the type of a remote server may be called. */
export function typeForm(schema: JsonObject): JsonObject {
  const { enum: words } = schema
  return Array.isArray(words)
    ? { ...schema, enum: [...words, 'streamable-http', 'streamableHttp'] }
    : schema
}

/** A list says what to include; nanobot has a list for each kind of thing. */
export function publishForm(schema: JsonObject): JsonObject {
  const item = { type: 'string' }
  const items = { anyOf: [item, { type: 'array', items: item }] }
  const lists = [...publishLists, 'entrypoint'].map((key) => [key, items] as const)
  const map = {
    ...schema,
    properties: {
      ...toJsonObject(schema.properties),
      ...Object.fromEntries(lists),
      ...withoutEffect(laterPublishKeys),
    },
  }
  return { anyOf: [{ type: 'array', items: item }, map] }
}

/** `null` takes away what an earlier file says. */
export function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] }
}

/** One target needs no list. */
export function hooksForm(schema: JsonObject): JsonObject {
  const list = toJsonObject(schema.additionalProperties)
  return { type: 'object', additionalProperties: { anyOf: [toJsonObject(list.items), list] } }
}

export function withoutEffect(hints: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    [...hints].map(([key, hint]) => [
      key,
      { description: `Has no effect in Mobius: ${hint}`, deprecated: true },
    ]),
  )
}
