import type { JsonObject } from '@mobius-mcp/protocol'
import * as z from 'zod/mini'
import { toJsonObject } from '../json-object.ts'
import { createSchema } from '../schema/schema.ts'
import { descriptions, sharedDescriptions } from './descriptions.ts'
import {
  durationSchema,
  fileForm,
  hooksForm,
  listOfScalars,
  mapOfScalars,
  orReference,
  publishForm,
  serverForm,
  typeForm,
} from './short-forms.ts'

/**
 * The JSON Schema (draft 2020-12) of a configuration file, for editors: made from the schema that
 * checks files, with every short form and a description of each key. Finer rules, such as those for
 * references, are checked when the file is read.
 */
export function configurationSchema(): JsonObject {
  const made: unknown = z.toJSONSchema(createSchema(), { io: 'input', unrepresentable: 'any' })
  const { $schema, ...schema } = toJsonObject(JSON.parse(JSON.stringify(made)))
  return {
    $schema: $schema ?? null,
    title: 'Mobius configuration',
    description: 'What a Mobius gateway serves, to whom, and under which rules.',
    ...rewrite(schema, []),
  }
}

/** What people write instead of what the schema sees, by the path. */
const forms: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  '': fileForm,
  'mcpServers.*': serverForm,
  'mcpServers.*.type': typeForm,
  'mcpServers.*.args': listOfScalars,
  'mcpServers.*.env': mapOfScalars,
  'mcpServers.*.headers': mapOfScalars,
  'mcpServers.*.hooks': hooksForm,
  publish: publishForm,
  'groups.*': publishForm,
  'http.keys.*.publish': publishForm,
  hooks: hooksForm,
}

const durations = /(?:^|\.)(?:timeouts\.\w+|idleTimeout|timeout|keepAlive)$/
const publishes = /^(?:publish|groups\.\*|http\.keys\.\*\.publish)\.(\w+)$/
const hookMembers = /(?:^|\.)hooks\.\*(?:\.\*)?\.(\w+)$/
const timeouts = /\.timeouts\.(\w+)$/

function rewrite(schema: JsonObject, path: readonly string[]): JsonObject {
  const name = path.join('.')
  if (schema.deprecated === true || schema.$ref !== undefined) return describe(schema, name)
  if (durations.test(name)) return describe(durationSchema, name)
  const form = forms[name]
  const formed = form ? form(schema) : schema
  return describe(withInner(asWords(formed), path), name)
}

/** A variable may stand wherever one of a few words may. */
function asWords(schema: JsonObject): JsonObject {
  return schema.type === 'string' && Array.isArray(schema.enum) ? orReference(schema) : schema
}

function withInner(schema: JsonObject, path: readonly string[]): JsonObject {
  const inner: JsonObject = { ...schema }
  // Keys of any text need no schema of their own.
  delete inner.propertyNames
  if (schema.properties !== undefined) {
    const members = Object.entries(toJsonObject(schema.properties))
    inner.properties = Object.fromEntries(
      members.map(([key, member]) => [key, rewrite(toJsonObject(member), [...path, key])]),
    )
  }
  for (const key of ['additionalProperties', 'items'] as const) {
    if (typeof schema[key] !== 'object') continue
    inner[key] = rewrite(toJsonObject(schema[key]), [...path, '*'])
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const branches = schema[key]
    // A branch stands at the same place: it has its form already.
    if (Array.isArray(branches))
      inner[key] = branches.map((one) => withInner(toJsonObject(one), path))
  }
  return inner
}

function describe(schema: JsonObject, name: string): JsonObject {
  const text =
    descriptions[name] ??
    shared('publish', publishes, name) ??
    shared('hook', hookMembers, name) ??
    shared('timeouts', timeouts, name)
  return text === undefined ? schema : { description: text, ...schema }
}

function shared(kind: string, pattern: RegExp, name: string): string | undefined {
  const [, key = ''] = pattern.exec(name) ?? []
  return sharedDescriptions[kind]?.[key]
}
